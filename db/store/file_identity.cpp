// SPDX-License-Identifier: Apache-2.0
#include "db/store/file_identity.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include <optional>
#include <random>

#include "db/store/schema.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

constexpr std::uint32_t least = 1U << 20;  ///< smaller numbers count the changes of the schema from 0
constexpr std::uint32_t schema_changes = 1U << 10;  ///< that a file may see while it is open

/// What the file itself has in its header.
struct Header {
  std::uint32_t changes;  ///< SQLite's change counter
  std::uint32_t number;
};

/// Nothing where the file has no header.
std::optional<Header> header_on_disk(SQLite::Database& connection) {
  constexpr int changes_offset = 24, number_offset = 40, bytes = number_offset + 4 - changes_offset;
  sqlite3_file* file = nullptr;
  unsigned char raw[bytes] = {};
  if (sqlite3_file_control(connection.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr ||
      file->pMethods->xRead(file, raw, bytes, changes_offset) != SQLITE_OK)
    return std::nullopt;
  const auto number_at = [&raw](int offset) {
    std::uint32_t number = 0;
    for (int i = 0; i < 4; ++i) number = number << 8U | raw[offset - changes_offset + i];
    return number;
  };
  return Header{number_at(changes_offset), number_at(number_offset)};
}

std::uint32_t number_read(SQLite::Database& connection) {
  return connection.execAndGet("PRAGMA schema_version").getUInt();
}

bool follows(std::uint32_t number, std::uint32_t before) {
  return number >= before && number - before < schema_changes;
}

/// The counter of changes may begin again at 0.
bool is_earlier(std::uint32_t changes, std::uint32_t before) {
  return changes - before > std::uint32_t{1} << 31U;
}

}  // namespace

void give_new_identity(SQLite::Database& connection) {
  std::random_device random;
  connection.exec(format("PRAGMA schema_version = {}", least + random() % ((1U << 30) - least)));
}

void FileIdentity::begin(SQLite::Database& connection) {
  if (number_read(connection) < least) {
    SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
    if (number_read(connection) < least) give_new_identity(connection);
    transaction.commit();
    // Into the file; a reader may delay that.
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
  }
  number_ = number_read(connection);
  const auto header = header_on_disk(connection);
  seen_ = header ? header->number : 0;
  changes_ = header ? header->changes : 0;
}

bool FileIdentity::holds(SQLite::Database& connection) {
  if (number_ == 0) return true;
  auto header = header_on_disk(connection);
  // Once more, lest another process was just writing it.
  if (header && is_earlier(header->changes, changes_)) header = header_on_disk(connection);
  if (!header || is_earlier(header->changes, changes_)) return false;
  changes_ = header->changes;
  if (header->number == seen_) return true;
  if (!follows(header->number, number_)) return false;
  seen_ = number_ = header->number;
  return true;
}

void count_next_change(SQLite::Database& connection) {
  connection.exec("PRAGMA shrink_memory");
}

void put_identity_into_log(SQLite::Database& connection) {
  connection.exec(format("PRAGMA application_id = {}", application_id));
}

bool has_foreign_log(SQLite::Database& connection) {
  const auto in_file = header_on_disk(connection);
  return in_file && in_file->number >= least && !follows(number_read(connection), in_file->number);
}

void never_checkpoint(SQLite::Database& connection) {
  sqlite3_db_config(connection.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

}  // namespace tune::db
