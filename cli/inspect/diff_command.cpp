// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/input/command.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/stored.hpp"
#include "cli/output/printable_output.hpp"
#include "cli/output/terminal.hpp"
#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"
#include "reports/data/wording.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

struct DiffRequest {
  std::vector<std::string> sides;
  StoredChoice stored;
  std::optional<double> fail_above;
  std::string database;
  Format form = Format::text;

  void add_to(OptionTable& table) {
    table.texts("of", "A B",
                "what is compared ('--of' may be left out): numbers of runs, files of databases, parts of "
                "devices' names, or versions of tune, a driver or a compiler",
                sides, OptionTable::Kind::list);
    table.text("problem", "P", "only this problem", stored.problem);
    table.text("size", "NXxNYxNZ", "only this size", stored.size);
    table.share("fail-above", "exit with status 1 if B is slower than A by more than this share, such as 5%",
                fail_above);
    add_database_option(table, database);
    add_format_option(table, form);
  }
};

/// The fastest of one work on one side.
struct Best {
  db::RunSummary run;
  Configuration configuration;
};

/// One of the two things that are compared.
struct Side {
  std::string label;
  bool names_device = false;          ///< so that the other side may be of another one
  std::map<std::string, Best> works;  ///< by title
};

std::string title_of(const db::RunSummary& run, bool with_device) {
  const db::Workload& workload = run.workload;
  std::string text = workload.problem + " " + workload.size;
  if (!workload.settings.empty()) text += " " + workload.settings;
  if (workload.cache == CacheState::warm) text += " warm";
  if (with_device) text += " on " + workload.device;
  return text;
}

using Runs = std::vector<db::RunSummary>;

bool has_version(const db::Database& database, const db::RunSummary& run, const std::string& version) {
  if (run.workload.driver == version || run.workload.toolchain.compiler.find(version) != std::string::npos)
    return true;
  const auto record = db::readable_run_record(database, run.run);
  return record && (record->program_version == version || record->program_version.starts_with(version + " "));
}

Runs runs_that(const StoredDatabases& databases,
               const std::function<bool(const db::Database&, const db::RunSummary&)>& fits) {
  Runs chosen;
  for (const db::Database* database : databases.all())
    for (db::RunSummary& run : db::list_runs(*database))
      if (fits(*database, run)) chosen.push_back(std::move(run));
  return chosen;
}

/// The runs that the word names. Throws Error (Exit::no_answer) where there are none.
Runs runs_of(const std::string& word, const std::string& own, Side& side) {
  std::error_code ignored;
  side.label = word;
  if (std::filesystem::is_regular_file(word, ignored))
    return db::list_runs(db::Database(word, db::OpenMode::read_only));
  const StoredDatabases databases(own);
  if (word.find_first_not_of("0123456789") == std::string::npos) {
    side.label = "run " + word;
    side.names_device = true;
    const auto number = static_cast<RunId>(parse_count(word, "of", 1));
    if (databases.own == 0)
      throw Error(format("there is no run {}: no run is stored yet", word), Exit::no_answer);
    static_cast<void>(find_run(static_cast<std::uint64_t>(number), *databases.opened.front()));
    Runs chosen = db::list_runs(*databases.opened.front());
    std::erase_if(chosen, [&](const db::RunSummary& run) { return run.run != number; });
    return chosen;
  }
  std::vector<std::string> names, keys;
  for (const db::Database* database : databases.all())
    for (const db::DeviceSummary& device : db::list_devices(*database)) {
      names.push_back(device.name);
      keys.push_back(device.model_key);
    }
  if (const std::optional<std::string> device = stored_device(word, names, keys)) {
    side.names_device = true;
    side.label = *device;
    return runs_that(databases, [&](const db::Database&, const db::RunSummary& run) {
      return run.workload.origin == Origin::measured &&
             (run.workload.device == *device || run.workload.model_key == *device);
    });
  }
  Runs chosen = runs_that(databases, [&](const db::Database& database, const db::RunSummary& run) {
    return run.workload.origin == Origin::measured && has_version(database, run, word);
  });
  if (chosen.empty())
    throw Error(format("'{}' is neither a run, the file of a database, a stored device nor a version; 'tune "
                       "list runs' and 'tune list devices' show what there is",
                       word),
                Exit::no_answer);
  return chosen;
}

Side side_of(const std::string& word, const DiffRequest& request, bool with_device) {
  Side side;
  for (db::RunSummary& run : runs_of(word, request.database, side)) {
    if (!run.best || !run.best_configuration) continue;
    if (request.stored.problem && run.workload.problem != *request.stored.problem) continue;
    if (request.stored.size && run.workload.size != *request.stored.size) continue;
    const std::string title = title_of(run, with_device);
    const auto known = side.works.find(title);
    if (known != side.works.end() && *known->second.run.best <= *run.best) continue;
    const std::string key = *run.best_configuration;
    side.works.insert_or_assign(title, Best{std::move(run), Configuration::parse(key)});
  }
  return side;
}

/// `block_x 64 to 128, variant direct to streaming`.
std::vector<std::string> changes(const Configuration& a, const Configuration& b) {
  std::vector<std::string> all;
  const auto text = [](const search::Value* value) {
    return value == nullptr ? std::string("none") : value->to_string();
  };
  for (const auto& [name, value] : a.entries())
    if (const auto* const other = b.find(name); other == nullptr || *other != value)
      all.push_back(format("{} {} to {}", name, value.to_string(), text(other)));
  for (const auto& [name, value] : b.entries())
    if (a.find(name) == nullptr) all.push_back(format("{} none to {}", name, value.to_string()));
  return all;
}

struct Difference {
  std::string title;
  const Best* a;
  const Best* b;
  double ratio;  ///< of B's time to A's
};

std::vector<Difference> differences_of(const Side& a, const Side& b) {
  std::vector<Difference> all;
  for (const auto& [title, best] : a.works)
    if (const auto other = b.works.find(title); other != b.works.end())
      all.push_back({title, &best, &other->second, *other->second.run.best / *best.run.best});
  std::ranges::stable_sort(all, std::ranges::greater(), &Difference::ratio);  // regressions first
  return all;
}

std::string ratio_text(double ratio) {
  constexpr double alike = 0.0005, small = 0.1;
  const double change = std::max(ratio, 1 / ratio) - 1;
  if (change < alike) return "the same";
  return format("{} {}", change < small ? percent_text(change) : format("{:.3g}x", 1 + change),
                ratio > 1 ? "slower" : "faster");
}

void print(const std::vector<Difference>& all, const Side& a, const Side& b) {
  std::cout << format("A: {}\nB: {}\n", a.label, b.label);
  reports::Grid table({"B against A", "A", "B", "workload", "changed"});
  for (const Difference& one : all) {
    const std::vector<std::string> changed = changes(one.a->configuration, one.b->configuration);
    table.add({ratio_text(one.ratio), si(*one.a->run.best, "s"), si(*one.b->run.best, "s"), one.title,
               changed.empty() ? "nothing" : joined(changed)});
  }
  table.wrap("changed");
  std::cout << table.text("", output_style());
  const std::size_t only_a = a.works.size() - all.size(), only_b = b.works.size() - all.size();
  if (only_a + only_b > 0)
    std::cout << format("not compared: {} only in A, {} only in B\n", counted(only_a, "workload"),
                        counted(only_b, "workload"));
}

void print_json(const std::vector<Difference>& all, const Side& a, const Side& b) {
  nlohmann::ordered_json works = nlohmann::ordered_json::array();
  const auto side = [](const Best& best) {
    return nlohmann::ordered_json{{"run", best.run.run},
                                  {"device", best.run.workload.device},
                                  {"origin", to_string(best.run.workload.origin)},
                                  {"seconds", *best.run.best},
                                  {"configuration", json_object(best.configuration.entries())}};
  };
  for (const Difference& one : all)
    works.push_back({{"problem", one.a->run.workload.problem},
                     {"size", one.a->run.workload.size},
                     {"settings", one.a->run.workload.settings},
                     {"ratio", one.ratio},
                     {"a", side(*one.a)},
                     {"b", side(*one.b)},
                     {"changed", changes(one.a->configuration, one.b->configuration)}});
  std::cout << json_text({{"a", a.label},
                          {"b", b.label},
                          {"works", works},
                          {"only_a", a.works.size() - all.size()},
                          {"only_b", b.works.size() - all.size()}});
}

int run_diff(const DiffRequest& request) {
  if (request.sides.size() != 2)
    throw UsageError("name two runs, devices, versions or databases: tune diff A B");
  // A work on another device is another work, unless the words name devices or runs.
  Side named;
  const auto names_device = [&](const std::string& word) {
    Side side;
    static_cast<void>(runs_of(word, request.database, side));
    return side.names_device;
  };
  const bool with_device = !(names_device(request.sides[0]) && names_device(request.sides[1]));
  const Side a = side_of(request.sides[0], request, with_device),
             b = side_of(request.sides[1], request, with_device);
  const std::vector<Difference> all = differences_of(a, b);
  if (all.empty())
    throw Error(
        format("{} and {} have no workload in common ({} and {} with results{})", a.label, b.label,
               counted(a.works.size(), "workload"), counted(b.works.size(), "workload"),
               a.works.empty() || b.works.empty()
                   ? std::string()
                   : format("; the first are {} and {}", a.works.begin()->first, b.works.begin()->first)),
        Exit::no_answer);
  if (request.form == Format::json)
    print_json(all, a, b);
  else
    print(all, a, b);
  if (!request.fail_above) return 0;
  const auto slower =
      std::ranges::count_if(all, [&](const Difference& one) { return one.ratio > 1 + *request.fail_above; });
  if (slower == 0) return 0;
  std::cout.flush();
  throw Error(format("{} of {} slower by more than {}", slower, counted(all.size(), "workload"),
                     percent_text(*request.fail_above)));
}

}  // namespace

Command diff_command() {
  return {.name = "diff",
          .summary = "compares the best results of two runs, devices, versions or databases",
          .usage = "tune diff A B [--fail-above S] [options]",
          .example =
              "  tune diff 3 7\n"
              "  tune diff H100 H200 --problem gemm\n"
              "  tune diff before.db after.db --fail-above 5%\n",
          .positional = "of",
          .bind = bind_request<DiffRequest, run_diff>,
          .words = 2};
}

}  // namespace tune::cli
