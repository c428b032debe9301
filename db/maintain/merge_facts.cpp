// SPDX-License-Identifier: Apache-2.0
#include "db/maintain/merge_facts.hpp"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <set>

#include "db/maintain/copy_rows.hpp"
#include "db/store/json.hpp"
#include "db/store/rows.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::db {
namespace {

/// A table whose rows are found by a key of several columns.
struct KeyedTable {
  std::string name;
  std::vector<std::string> key;
};

/// Returns the row with the same key, made where it is missing. `references` are columns that hold numbers of
/// rows of other tables, already merged.
class RowFinder {
 public:
  RowFinder(SQLite::Database& target, const KeyedTable& table)
      : columns_(columns_of(target, table.name, {"id"})),
        insert_(target, insert_sql(table.name, columns_)),
        find_(target, find_sql(table)),
        target_(target) {
    for (const std::string& column : table.key)
      key_places_.push_back(static_cast<int>(std::ranges::find(columns_, column) - columns_.begin()));
  }

  const std::vector<std::string>& columns() const { return columns_; }

  /// `row` has the columns in order from its second one on. `is_new` is set where the row was made.
  template<class Bind>
  std::int64_t operator()(SQLite::Statement& row, Bind bind, bool& is_new) {
    int index = 0;
    for (const int place : key_places_) bind(find_, ++index, place, row.getColumn(place + 1));
    is_new = !find_.executeStep();
    std::int64_t id = is_new ? 0 : find_.getColumn(0).getInt64();
    find_.reset();
    if (!is_new) return id;
    for (int i = 0; i < static_cast<int>(columns_.size()); ++i) bind(insert_, i + 1, i, row.getColumn(i + 1));
    run(insert_);
    return target_.getLastInsertRowid();
  }

 private:
  static std::string find_sql(const KeyedTable& table) {
    const auto equals = [](const std::string& column) { return column + " = ?"; };
    return format("SELECT id FROM {} WHERE {}", table.name, joined(table.key, equals, " AND "));
  }

  std::vector<std::string> columns_;
  std::vector<int> key_places_;
  SQLite::Statement insert_, find_;
  SQLite::Database& target_;
};

void bind_as_is(SQLite::Statement& statement, int index, int /*place*/, const SQLite::Column& value) {
  bind_column(statement, index, value);
}

template<class Seen>
IdMap merge_table(SQLite::Database& target, SQLite::Database& source, const KeyedTable& table, Seen seen) {
  RowFinder finder(target, table);
  SQLite::Statement row(source,
                        format("SELECT id, {} FROM {} ORDER BY id", listed(finder.columns()), table.name));
  IdMap map;
  while (row.executeStep()) {
    bool is_new = false;
    const std::int64_t id = finder(row, bind_as_is, is_new);
    map.emplace(row.getColumn(0).getInt64(), id);
    seen(row, id, is_new);
  }
  return map;
}

/// Reports properties that differ, but for those that are measured or set by an administrator.
std::vector<std::string> differing_facts(const DeviceProperties& a, const DeviceProperties& b) {
  std::vector<std::pair<std::string, std::string>> texts;
  const auto collect = [&texts](const char* name, const auto& value) {
    using Fact = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_array_v<Fact>)
      texts.emplace_back(name, format("{}x{}x{}", value[0], value[1], value[2]));
    else
      texts.emplace_back(name, format("{}", value));
  };
  for_each_property(a, collect);
  const auto first = std::move(texts);
  texts.clear();
  for_each_property(b, collect);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& name = texts[i].first;
    if (name.ends_with("_bandwidth") || name == "power_limit" || name == "energy_counter") continue;
    if (texts[i] != first[i])
      names.push_back(format("{} {} here and {} there", name, first[i].second, texts[i].second));
  }
  return names;
}

void compare_device(SQLite::Database& target, SQLite::Statement& row, std::int64_t id,
                    std::vector<std::string>& conflicts) {
  const DeviceProperties theirs = properties_from_json(row.getColumn("facts").getString());
  if (theirs.uuid.empty()) return;
  SQLite::Statement ours =
      bound(target, "SELECT facts FROM devices WHERE uuid = ? AND driver = ? AND id <> ?", theirs.uuid,
            theirs.driver, id);
  while (ours.executeStep()) {
    const auto names = differing_facts(properties_from_json(ours.getColumn(0).getString()), theirs);
    if (names.empty()) continue;
    conflicts.push_back(
        format("{} ({}) has other facts: {}; both are kept", theirs.name, theirs.uuid, listed(names)));
    return;
  }
}

void compare_instance(SQLite::Database& target, SQLite::Statement& row, std::int64_t id,
                      std::vector<std::string>& conflicts) {
  SQLite::Statement ours = bound(target, "SELECT extents, settings FROM instances WHERE id = ?", id);
  if (!ours.executeStep()) return;
  for (const char* column : {"extents", "settings"})
    if (text(ours, column) != text(row, column))
      conflicts.push_back(format("{} {}: its {} are {} here and {} there; those of here are kept",
                                 text(row, "problem"), text(row, "size"), column, text(ours, column),
                                 text(row, column)));
}

/// The range of figures that runs have for their workload.
struct Amounts {
  std::set<std::string> texts;
  double min = 0, max = 0;  ///< limit in seconds
};

std::unordered_map<std::int64_t, Amounts> amounts_of(SQLite::Database& connection) {
  SQLite::Statement row(connection,
                        "SELECT work, items, flops, bytes, item, MIN(limit_seconds) AS least,"
                        " MAX(limit_seconds) AS most FROM runs GROUP BY work, items, flops, bytes, item");
  std::unordered_map<std::int64_t, Amounts> amounts;
  while (row.executeStep()) {
    Amounts& of_workload = amounts[integer(row, "work")];
    const double min = real(row, "least"), max = real(row, "most");
    of_workload.min = of_workload.texts.empty() ? min : std::min(of_workload.min, min);
    of_workload.max = std::max(of_workload.max, max);
    of_workload.texts.insert(format("{:g} {}s, {:g} operations and {:g} bytes", real(row, "items"),
                                    text(row, "item"), real(row, "flops"), real(row, "bytes")));
  }
  return amounts;
}

std::string workload_text(SQLite::Database& connection, std::int64_t workload) {
  SQLite::Statement row = bound(connection,
                                "SELECT i.problem, i.size, i.settings_key, w.model_key FROM works w"
                                " JOIN instances i ON i.id = w.instance WHERE w.id = ?",
                                workload);
  if (!row.executeStep()) return "a work";
  const std::string settings = text(row, "settings_key");
  return format("{} {}{} on {}", text(row, "problem"), text(row, "size"),
                settings.empty() ? "" : " " + settings, text(row, "model_key"));
}

}  // namespace

FactMaps merge_facts(SQLite::Database& target, SQLite::Database& source,
                     std::vector<std::string>& conflicts) {
  FactMaps maps;
  maps.devices = merge_table(target, source, {"devices", {"facts_hash"}},
                             [&](SQLite::Statement& row, std::int64_t id, bool is_new) {
                               if (is_new) compare_device(target, row, id, conflicts);
                             });
  const IdMap toolchains = merge_table(target, source, {"toolchains", {"compiler", "source_hash"}},
                                       [](SQLite::Statement&, std::int64_t, bool) {});
  const IdMap instances = merge_table(target, source, {"instances", {"problem", "size", "settings_key"}},
                                      [&](SQLite::Statement& row, std::int64_t id, bool is_new) {
                                        if (!is_new) compare_instance(target, row, id, conflicts);
                                      });
  RowFinder finder(target, {"works", {"instance", "model_key", "driver", "toolchain", "origin", "cache"}});
  const std::vector<std::string>& columns = finder.columns();
  SQLite::Statement row(source, format("SELECT id, {} FROM works ORDER BY id", listed(columns)));
  const auto bind = [&](SQLite::Statement& statement, int index, int place, const SQLite::Column& value) {
    const std::string& column = columns[static_cast<std::size_t>(place)];
    if (column == "instance")
      statement.bind(index, instances.at(value.getInt64()));
    else if (column == "toolchain")
      statement.bind(index, toolchains.at(value.getInt64()));
    else
      bind_column(statement, index, value);
  };
  while (row.executeStep()) {
    bool is_new = false;
    maps.workloads.emplace(row.getColumn(0).getInt64(), finder(row, bind, is_new));
  }
  return maps;
}

void compare_amounts(SQLite::Database& target, SQLite::Database& source, const IdMap& workloads,
                     std::vector<std::string>& conflicts) {
  constexpr double noise = 1.1;  // the bandwidth behind a limit is measured by every run
  const auto ours = amounts_of(target);
  for (const auto& [workload, theirs] : amounts_of(source)) {
    const std::int64_t here = workloads.at(workload);
    const auto found = ours.find(here);
    if (found == ours.end()) continue;
    for (const std::string& amount : theirs.texts)
      if (!found->second.texts.contains(amount))
        conflicts.push_back(format("{}: its amount is {} here and {} there; each run keeps its own",
                                   workload_text(target, here), *found->second.texts.begin(), amount));
    if (theirs.max > noise * found->second.max || theirs.min * noise < found->second.min)
      conflicts.push_back(format("{}: its limit is {:.4g} s here and {:.4g} s there; each run keeps its own",
                                 workload_text(target, here), found->second.max, theirs.max));
  }
}

}  // namespace tune::db
