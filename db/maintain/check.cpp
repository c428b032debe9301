// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/check.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "lookup/src/checked_pages.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/problem/instance.hpp"

namespace tune::db {
namespace {

/// Takes a finding: one line, and its kind, which groups lines that are alike.
using Found = std::function<void(const std::string& kind, const std::string& line)>;

/// True for `2026-01-31T12:00:00.000Z`, and for the empty text of another program's results.
bool is_date(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
  if (text.empty()) return true;
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (form[i] == 'd' ? !digit : text[i] != form[i]) return false;
  }
  return true;
}

/// Allows for rounding: the median of an even number of samples is a mean.
bool same(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

/// Calls `line(row)` for each row of the statement.
template<class Line>
void each(SQLite::Database& connection, const std::string& sql, Line line) {
  SQLite::Statement row(connection, sql);
  while (row.executeStep()) line(row);
}

/// Calls `read` on texts of the database that may not be JSON of ours.
template<class Read>
void readable(const std::string& where, const Found& found, Read read) {
  try {
    read();
  } catch (const Error& error) {
    found("json" + where.substr(0, where.find(' ')), format("{}: {}", where, error.what()));
  }
}

void check_device(SQLite::Statement& row, const Found& found) {
  const std::string where = format("devices {}", integer(row, "id"));
  readable(where, found, [&] {
    const std::string json = text(row, "facts");
    const DeviceProperties properties = properties_from_json(json);
    if (content_hash(json) != text(row, "facts_hash"))
      found("facts_hash", where + ": its facts_hash is not that of its facts");
    const std::pair<const char*, std::string> columns[] = {{"model_key", properties.model_key()},
                                                           {"name", properties.name},
                                                           {"uuid", properties.uuid},
                                                           {"architecture", properties.architecture()},
                                                           {"driver", properties.driver}};
    for (const auto& [column, fact] : columns)
      if (text(row, column) != fact)
        found("device",
              format("{}: its {} is '{}', by its facts '{}'", where, column, text(row, column), fact));
    const std::pair<const char*, double> figures[] = {
        {"power_limit", properties.power_limit},
        {"max_core_clock", static_cast<double>(properties.core_clock)},
        {"max_memory_clock", static_cast<double>(properties.memory_clock)}};
    for (const auto& [column, fact] : figures)
      if (const double stored = optional_real(row, column).value_or(0); stored != fact)
        found("board", format("{}: its {} is {}, by its facts {}", where, column, stored, fact));
  });
}

void check_instance(SQLite::Statement& row, const Found& found) {
  const std::string where = format("instances {}", integer(row, "id"));
  readable(where, found, [&] {
    const Instance instance{text(row, "problem"), extents_from_json(text(row, "extents")),
                            entries_from_json(text(row, "settings"))};
    if (instance.size() != text(row, "size"))
      found("size",
            format("{}: its size is '{}', by its extents '{}'", where, text(row, "size"), instance.size()));
    if (instance.settings_key() != text(row, "settings_key"))
      found("settings", format("{}: its settings_key is '{}', by its settings '{}'", where,
                               text(row, "settings_key"), instance.settings_key()));
    for (const auto& [name, extent] : instance.extents)
      if (extent <= 0) found("extent", format("{}: {} is {}", where, name, extent));
  });
}

void check_facts(SQLite::Database& connection, const Found& found) {
  each(connection, "SELECT * FROM devices", [&](SQLite::Statement& row) { check_device(row, found); });
  each(connection, "SELECT * FROM instances", [&](SQLite::Statement& row) { check_instance(row, found); });
  each(connection,
       "SELECT r.id, d.model_key AS device, d.driver AS device_driver, w.model_key, w.driver FROM runs r"
       " JOIN works w ON w.id = r.work JOIN devices d ON d.id = r.device"
       " WHERE d.model_key <> w.model_key OR d.driver <> w.driver",
       [&](SQLite::Statement& row) {
         found("device of run",
               format("runs {}: its device is '{}' under driver {}, its work is of '{}' under driver {}",
                      integer(row, "id"), text(row, "device"), text(row, "device_driver"),
                      text(row, "model_key"), text(row, "driver")));
       });
}

void check_runs(SQLite::Database& connection, const Found& found) {
  each(connection, "SELECT * FROM runs", [&](SQLite::Statement& row) {
    const std::string where = format("runs {}", integer(row, "id"));
    readable(where, found, [&] { entries_from_json(text(row, "pinned")); });
    const std::string started = text(row, "started"), ended = text_or_empty(row, "ended");
    for (const std::string& date : {started, ended})
      if (!is_date(date)) found("date of run", format("{}: '{}' is not a time of day", where, date));
    if (!ended.empty() && ended < started)
      found("end of run", format("{}: ended {}, before it started {}", where, ended, started));
    const std::string seed = text(row, "seed");
    if (seed.empty() || !std::ranges::all_of(seed, [](unsigned char c) { return std::isdigit(c) != 0; }))
      found("seed", format("{}: its seed is '{}'", where, seed));
    for (const char* column : {"limit_seconds", "items", "flops", "bytes"})
      if (!(real(row, column) >= 0) || !std::isfinite(real(row, column)))
        found("amount", format("{}: its {} is {}", where, column, real(row, column)));
  });
  each(connection,
       "SELECT l.run, l.sequence, l.evaluation FROM run_evaluations l JOIN runs r ON r.id = l.run"
       " JOIN evaluations e ON e.id = l.evaluation WHERE e.work <> r.work",
       [&](SQLite::Statement& row) {
         found("work of seen",
               format("run_evaluations {}/{}: evaluation {} is of another work than the run",
                      integer(row, "run"), integer(row, "sequence"), integer(row, "evaluation")));
       });
  each(connection,
       "SELECT e.id, e.run FROM evaluations e WHERE NOT EXISTS (SELECT 1 FROM run_evaluations l"
       " WHERE l.evaluation = e.id AND l.run = e.run)",
       [&](SQLite::Statement& row) {
         found("unseen", format("evaluations {}: run {}, which made it, has not seen it", integer(row, "id"),
                                integer(row, "run")));
       });
}

void check_configuration(SQLite::Statement& row, const std::string& where, const Found& found) {
  readable(where, found, [&] {
    if (!row.isColumnNull("metrics")) metrics_from_json(text(row, "metrics"));
    const std::string key = configuration_from_json(text(row, "configuration")).key();
    if (key != text(row, "configuration_key"))
      found("key", format("{}: its key is '{}', by its configuration '{}'", where,
                          text(row, "configuration_key"), key));
  });
}

void check_times(SQLite::Statement& row, const std::string& where, std::vector<double> seconds,
                 const Found& found) {
  const auto time = optional_real(row, "time");
  if (!time) {
    if (!seconds.empty())
      found("failed samples", format("{}: it failed, and has {} samples", where, seconds.size()));
    return;
  }
  if (!std::isfinite(*time) || *time <= 0) found("time", format("{}: its time is {}", where, *time));
  const double minimum = optional_real(row, "minimum").value_or(0);
  if (seconds.empty()) {
    if (minimum > *time)
      found("minimum", format("{}: its smallest time {} is above its time {}", where, minimum, *time));
    return;
  }
  const double middle = median(seconds), min = *std::ranges::min_element(seconds);
  if (!same(middle, *time))
    found("median", format("{}: its time is {}, the median of its samples {}", where, *time, middle));
  if (!same(min, minimum))
    found("minimum", format("{}: its minimum is {}, the smallest of its samples {}", where, minimum, min));
}

void check_evaluations(SQLite::Database& connection, const Found& found) {
  SQLite::Statement sample(connection,
                           "SELECT ordinal, seconds FROM samples WHERE evaluation = ? ORDER BY ordinal");
  each(connection, "SELECT * FROM evaluations", [&](SQLite::Statement& row) {
    const std::int64_t id = integer(row, "id");
    const std::string where = format("evaluations {}", id);
    check_configuration(row, where, found);
    std::vector<double> seconds;
    sample.bind(1, id);
    while (sample.executeStep()) {
      if (sample.getColumn(0).getInt64() != static_cast<std::int64_t>(seconds.size()))
        found("ordinal", format("{}: its samples are not numbered without gaps", where));
      seconds.push_back(sample.getColumn(1).getDouble());
      if (!(seconds.back() >= 0) || !std::isfinite(seconds.back()))
        found("sample", format("{}: a sample is {}", where, seconds.back()));
    }
    sample.reset();
    check_times(row, where, std::move(seconds), found);
    if (!is_date(text(row, "recorded")))
      found("date", format("{}: '{}' is not a time of day", where, text(row, "recorded")));
    for (const char* column : {"compile_seconds", "load_seconds", "verify_seconds", "measure_seconds"})
      if (!(real(row, column) >= 0))
        found("phase", format("{}: its {} is {}", where, column, real(row, column)));
  });
}

void check_rerank(SQLite::Database& connection, const Found& found) {
  each(connection,
       "SELECT run, COUNT(*) AS places, MAX(place) AS last, MIN(place) AS first FROM finals GROUP BY run"
       " HAVING first <> 1 OR last <> places",
       [&](SQLite::Statement& row) {
         found("places", format("finals of run {}: {} places, numbered {} to {}", integer(row, "run"),
                                integer(row, "places"), integer(row, "first"), integer(row, "last")));
       });
  each(connection,
       "SELECT f.*, e.time AS measured, (SELECT COUNT(*) FROM final_rounds x WHERE "
       "x.run = f.run AND x.evaluation = f.evaluation) AS counted, EXISTS (SELECT 1 "
       "FROM run_evaluations l WHERE l.run = f.run AND l.evaluation = f.evaluation) "
       "AS seen FROM finals f LEFT JOIN evaluations e ON e.id = f.evaluation",
       [&](SQLite::Statement& row) {
         const std::string where =
             format("finals of run {}, place {}", integer(row, "run"), integer(row, "place"));
         if (row.isColumnNull("measured")) found("failed finalist", where + ": its evaluation failed");
         if (!flag(row, "seen")) found("unseen finalist", where + ": the run has not seen its evaluation");
         if (integer(row, "counted") != integer(row, "rounds"))
           found("rounds", format("{}: {} rounds are stored, its row has {}", where, integer(row, "counted"),
                                  integer(row, "rounds")));
         if (!(real(row, "time_low") <= real(row, "time") && real(row, "time") <= real(row, "time_high")))
           found("interval", where + ": its time is outside of its interval");
         if (integer(row, "place") == 1 && !flag(row, "tied"))
           found("winner", where + ": the winner does not tie with itself");
       });
}

/// Returns table and number at the begin of a line: `runs 3: ...`, `run_evaluations 3/17: ...`, `finals of
/// run 3, ...`.
std::optional<std::pair<std::string, std::int64_t>> row_of(std::string_view line) {
  const std::size_t table = line.find(' ');
  const std::size_t digits = line.find_first_of("0123456789");
  if (table == std::string_view::npos || digits > line.find(':')) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(line.data() + digits, line.data() + line.size(), number);
  return std::pair(std::string(line.substr(0, table)), number);
}

class Collector {
 public:
  void operator()(const std::string& kind, const std::string& line) {
    static const std::set<std::string> tables = {"devices",     "instances", "runs",
                                                 "evaluations", "finals",    "run_evaluations"};
    if (auto row = row_of(line); row && tables.contains(row->first)) findings_.rows.insert(*std::move(row));
    if (++kinds_[kind] > Findings::max_per_kind)
      ++findings_.left_out;
    else
      findings_.lines.push_back(one_line(line));
  }
  /// Runs a part; an error in it is a finding too.
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
  for (const std::uint32_t page : lookup::damaged_pages(sqlite3_db_filename(connection.getHandle(), "main")))
    found("page", format("file: page {} is damaged: its checksum does not match", page));
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

Findings check(const Database& database, bool structure) {
  Collector collector;
  const auto look = [&](SQLite::Database& connection) {
    const auto part = [&](const char* what, void (*check)(SQLite::Database&, const Found&)) {
      collector.run(what, [&](const Found& found) { check(connection, found); });
    };
    if (structure) part("the pages of the file", check_structure);
    part("references", check_references);
    part("devices and works", check_facts);
    part("runs", check_runs);
    part("evaluations", check_evaluations);
    part("finals", check_rerank);
  };
  try {
    database.read(look);
  } catch (const Error&) {
    if (collector.empty()) throw;  // else the end of the transaction repeats a finding
  }
  return collector.take();
}

}  // namespace

Findings check_rows(const Database& database) {
  return check(database, false);
}

Findings check_database(const Database& database) {
  return check(database, true);
}

}  // namespace tune::db
