// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/check.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <map>

#include "db/maintain/check_rows.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::db {
namespace {

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

class Collector {
 public:
  void operator()(const std::string& kind, const std::string& line) {
    if (++kinds_[kind] > Findings::max_per_kind)
      ++findings_.left_out;
    else
      findings_.lines.push_back(one_line(line));
  }
  /// Runs a part; that it cannot be carried out is a finding, too.
  template<class Part>
  void run(const char* what, Part part) {
    try {
      part([this](const std::string& kind, const std::string& line) { (*this)(kind, line); });
    } catch (const SQLite::Exception& exception) {
      (*this)("unreadable", format("{} cannot be read to their end: {}", what, exception.what()));
    } catch (const Error& error) {
      (*this)("unreadable", format("{} cannot be read to their end: {}", what, error.what()));
    }
  }
  bool empty() const { return findings_.lines.empty(); }
  Findings take() { return std::move(findings_); }

 private:
  Findings findings_;
  std::map<std::string, std::size_t> kinds_;
};

void check_structure(SQLite::Database& connection, const Found& found) {
  SQLite::Statement integrity(connection, "PRAGMA integrity_check(1000)");
  while (integrity.executeStep()) {
    const std::string line = integrity.getColumn(0).getString();
    if (line != "ok") found("structure", format("file: {}", line));
  }
}

void check_references(SQLite::Database& connection, const Found& found) {
  SQLite::Statement row(connection,
                        "SELECT \"table\", rowid, parent, COUNT(*) FROM pragma_foreign_key_check"
                        " GROUP BY 1, 2, 3");
  while (row.executeStep()) {
    const std::string table = row.getColumn(0).getString(), parent = row.getColumn(2).getString();
    if (row.isColumnNull(1))
      found("dangling" + table,
            format("{}: {} rows refer to {} that are not there", table, row.getColumn(3).getInt64(), parent));
    else
      found("dangling" + table, format("{} {}: refers to a row of {} that is not there", table,
                                       row.getColumn(1).getInt64(), parent));
  }
}

}  // namespace

Findings check_database(const Database& database) {
  Collector collector;
  const auto look = [&](SQLite::Database& connection) {
    const auto part = [&](const char* what, void (*check)(SQLite::Database&, const Found&)) {
      collector.run(what, [&](const Found& found) { check(connection, found); });
    };
    part("the pages of the file", check_structure);
    part("references", check_references);
    part("devices and works", check_facts);
    part("runs", check_runs);
    part("evaluations", check_evaluations);
    part("finals", check_rerank);
  };
  try {
    database.read(look);
  } catch (const Error&) {
    if (collector.empty()) throw;  // else the end of the transaction says again what was found
  }
  return collector.take();
}

}  // namespace tune::db
