// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/copy_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "db/store/rows.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

void append(std::string& bytes, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
}

}  // namespace

std::vector<std::string> columns_of(SQLite::Database& connection, const std::string& table,
                                    std::initializer_list<std::string_view> without) {
  SQLite::Statement row = bound(connection, "SELECT name FROM pragma_table_info(?) ORDER BY cid", table);
  std::vector<std::string> columns;
  while (row.executeStep()) {
    std::string name = row.getColumn(0).getString();
    if (std::ranges::find(without, name) == without.end()) columns.push_back(std::move(name));
  }
  return columns;
}

std::string listed(const std::vector<std::string>& columns, const std::string& prefix) {
  return joined(columns, [&](const std::string& column) { return prefix + column; });
}

std::string insert_sql(const std::string& table, const std::vector<std::string>& columns) {
  std::string marks;
  for (std::size_t i = 0; i < columns.size(); ++i) marks += i == 0 ? "?" : ", ?";
  return format("INSERT INTO {} ({}) VALUES ({})", table, listed(columns), marks);
}

void bind_column(SQLite::Statement& statement, int index, const SQLite::Column& value) {
  if (value.isInteger()) {
    statement.bind(index, value.getInt64());
  } else if (value.isFloat()) {
    statement.bind(index, value.getDouble());
  } else if (value.isNull()) {
    statement.bind(index);
  } else {
    statement.bind(index, value.getString());
  }
}

ContentDigest row_digest(SQLite::Statement& row, int first, int count) {
  std::string bytes;
  for (int i = first; i < first + count; ++i) {
    const SQLite::Column value = row.getColumn(i);
    bytes += static_cast<char>(value.getType());
    if (value.isInteger()) {
      append(bytes, static_cast<std::uint64_t>(value.getInt64()));
    } else if (value.isFloat()) {
      append(bytes, std::bit_cast<std::uint64_t>(value.getDouble()));
    } else if (!value.isNull()) {
      const std::string text = value.getString();
      append(bytes, text.size());
      bytes += text;
    }
  }
  return content_digest(bytes);
}

}  // namespace tune::db
