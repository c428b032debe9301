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

constexpr std::uint32_t least = 1U << 20;    ///< smaller numbers count the changes of the schema from 0
constexpr std::uint32_t changes = 1U << 10;  ///< of the schema that a file may see while it is open

/// The number in the file itself; nothing where it has no header.
std::optional<std::uint32_t> number_on_disk(SQLite::Database& connection) {
  constexpr int offset = 40, bytes = 4;
  sqlite3_file* file = nullptr;
  unsigned char raw[bytes] = {};
  if (sqlite3_file_control(connection.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr ||
      file->pMethods->xRead(file, raw, bytes, offset) != SQLITE_OK)
    return std::nullopt;
  std::uint32_t number = 0;
  for (const unsigned char byte : raw) number = number << 8U | byte;
  return number;
}

std::uint32_t number_read(SQLite::Database& connection) {
  return connection.execAndGet("PRAGMA schema_version").getUInt();
}

bool follows(std::uint32_t number, std::uint32_t before) {
  return number >= before && number - before < changes;
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
  seen_ = number_on_disk(connection).value_or(0);
}

bool FileIdentity::holds(SQLite::Database& connection) {
  if (number_ == 0) return true;
  const auto number = number_on_disk(connection);
  if (!number) return false;
  if (*number == seen_) return true;
  if (!follows(*number, number_)) return false;
  seen_ = number_ = *number;
  return true;
}

void put_identity_into_log(SQLite::Database& connection) {
  connection.exec(format("PRAGMA application_id = {}", application_id));
}

bool has_foreign_log(SQLite::Database& connection) {
  const auto in_file = number_on_disk(connection);
  return in_file && *in_file >= least && !follows(number_read(connection), *in_file);
}

void never_checkpoint(SQLite::Database& connection) {
  sqlite3_db_config(connection.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

}  // namespace tune::db
