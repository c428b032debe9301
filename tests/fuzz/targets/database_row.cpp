// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <utility>
#include <vector>

#include "lookup/src/checked_pages.hpp"
#include "tests/fuzz/database_reads.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using Columns = std::vector<std::pair<std::string, std::string>>;

Columns columns_of(SQLite::Database& connection) {
  Columns all;
  SQLite::Statement row(connection,
                        "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c"
                        " WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid");
  while (row.executeStep()) all.emplace_back(row.getColumn(0).getString(), row.getColumn(1).getString());
  return all;
}

}  // namespace

// A wrong value in a table: the number of its column, its kind, and the value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tune;
  if (size < 2) return 0;
  const std::filesystem::path path = tune::testing::written("rows.db", tune::testing::sound_database());
  const std::string value(tune::testing::bytes_of(data + 2, size - 2));
  try {
    SQLite::Database connection(path.string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs());
    connection.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    static const Columns all = columns_of(connection);
    const auto& [table, column] = all[data[0] % all.size()];
    SQLite::Statement change(connection, "UPDATE OR IGNORE " + table + " SET " + column + " = ?");
    switch (data[1] % 4) {
      case 0:
        change.bind(1, value);
        break;
      case 1:
        change.bind(1, value.data(), static_cast<int>(value.size()));  // a blob
        break;
      case 2:
        change.bind(1, static_cast<std::int64_t>(std::strtoll(value.c_str(), nullptr, 10)));
        break;
      default:
        change.bind(1, std::strtod(value.c_str(), nullptr));
    }
    change.exec();
  } catch (const SQLite::Exception&) {  // a constraint of the schema
    return 0;
  }
  tune::testing::read_everything(path);
  return 0;
}
