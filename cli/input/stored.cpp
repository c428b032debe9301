// SPDX-License-Identifier: Apache-2.0
#include "cli/input/stored.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "cli/input/device_choice.hpp"
#include "cli/output/printable_output.hpp"
#include "cli/output/text_layout.hpp"
#include "db/maintain/check.hpp"
#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"
#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/registry.hpp"
#include "library/run/paths.hpp"
#include "search/space/configuration.hpp"
#include "search/space/search_space.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::cli {
namespace {

void tell_missing_folder() {
  const char* named = std::getenv("TUNE_RECORDINGS");
  if (named == nullptr || *named == '\0' || std::filesystem::exists(named)) return;
  say(format("TUNE_RECORDINGS: there is no '{}'", named));
}

}  // namespace

void tell_left_out(const std::string& reason) {
  say("left out a recording that cannot be read: " + reason.substr(0, reason.find('\n')));
}

StoredDatabases::StoredDatabases(const std::string& given)
    : run::StoredDatabases(run::open_stored(run::database_path(given), !given.empty(), {}, tell_left_out)) {
  tell_missing_folder();
}

StoredDatabases::~StoredDatabases() {
  for (const auto& database : opened) const LeftOutRows told(*database);
}

LeftOutRows::~LeftOutRows() {
  if (const std::string line = database_.left_out(); !line.empty()) say(line);
}

bool StoredDatabases::leave_out_damaged() {
  const auto damaged = [](const std::unique_ptr<db::Database>& recording) {
    if (db::check_database(*recording).count() == 0) return false;
    const std::string path = recording->path().string();
    tell_left_out(format("{} is damaged ('tune db check {}' says where)", path, shell_quoted(path)));
    return true;
  };
  const auto first = opened.begin() + static_cast<std::ptrdiff_t>(own);
  const auto end = std::remove_if(first, opened.end(), damaged);
  const bool any = end != opened.end();
  opened.erase(end, opened.end());
  return any;
}

namespace {

/// The end of a message: the known name nearest to `name`, or all.
std::string what_there_is(const std::string& name, const std::vector<std::string>& known) {
  return suggestion(name, known, known.empty() ? "nothing is stored yet" : "stored are: " + joined(known));
}

void check_problem(const std::string& name, const db::Database* database) {
  if (!has_results_of(name, database) && database != nullptr)
    throw Error(format("{} has no result of {}; to get one: tune --problem {}", database->path().string(),
                       name, name),
                Exit::no_answer);
}

std::string device_in(const db::Database& database, const std::string& text) {
  std::vector<std::string> names, keys;
  for (const db::DeviceSummary& device : db::list_devices(database)) {
    if (std::ranges::find(names, device.name) == names.end()) names.push_back(device.name);
    keys.push_back(device.model_key);
  }
  const std::optional<std::string> name = stored_device(text, names, keys);
  if (name &&
      (std::ranges::find(names, *name) != names.end() || std::ranges::find(keys, *name) != keys.end()))
    return *name;
  throw Error(format("no result of a device '{}'; {}", name.value_or(text), what_there_is(text, names)),
              Exit::no_answer);
}

void check_size_form(const std::string& size) {
  const auto wrong = [](unsigned char letter) { return std::isdigit(letter) == 0 && letter != 'x'; };
  if (std::ranges::any_of(size, wrong) || size.front() == 'x' || size.back() == 'x' ||
      size.find("xx") != std::string::npos)
    throw UsageError(format("--size: '{}' is not a size such as 512x512x512", size));
}

/// Throws Error where the rest of the choice leaves no result of this size.
void check_size(const StoredChoice& choice, const db::Database& database) {
  std::set<std::string> sizes;
  for (const db::RunSummary& run :
       db::list_runs(database, {.problem = choice.problem, .device = choice.device}))
    sizes.insert(run.workload.size);
  if (sizes.contains(*choice.size)) return;
  const std::string all = sizes.empty() ? "" : "; stored are: " + joined(sizes);
  const std::string problem = choice.problem ? " of " + *choice.problem : "";
  const std::string device = choice.device ? " on " + *choice.device : "";
  throw Error(format("no result{}{} of size {}{}", problem, device, *choice.size, all), Exit::no_answer);
}

}  // namespace

void refuse_recording(const std::filesystem::path& database) {
  for (const std::filesystem::path& recording : run::shipped_recordings())
    if (std::error_code ignored; std::filesystem::equivalent(recording, database, ignored))
      throw UsageError(
          format("{} is one of the recordings that answer here (TUNE_RECORDINGS): name another "
                 "file with --db",
                 database.string()));
}

bool has_results_of(const std::string& problem, const db::Database* database) {
  std::vector<std::string> known;
  if (database != nullptr)
    for (const db::ProblemSummary& stored : db::list_problems(*database)) known.push_back(stored.problem);
  if (std::ranges::find(known, problem) != known.end()) return true;
  if (kernels::find_problem(problem) != nullptr) return false;
  for (const kernels::ProblemEntry& entry : kernels::problems())
    if (std::ranges::find(known, entry.name) == known.end()) known.emplace_back(entry.name);
  throw UsageError(format("unknown problem '{}'; {}", problem, what_there_is(problem, known)));
}

void StoredChoice::add_to(OptionTable& table) {
  table.text("problem", "P", "only this problem", problem);
  table.text("device", "D",
             "only this device: a part of its name as 'tune list devices' shows it, or the number of a GPU",
             device);
  table.text("size", "NXxNYxNZ", "only this size", size);
}

StoredChoice settled(StoredChoice choice, const db::Database* database) {
  if (choice.size) check_size_form(*choice.size);
  if (choice.problem) check_problem(*choice.problem, database);
  if (choice.device) static_cast<void>(parse_device(*choice.device));
  if (database == nullptr) return choice;
  if (choice.device) choice.device = device_in(*database, *choice.device);
  if (choice.size) check_size(choice, *database);
  return choice;
}

std::optional<RunId> find_run(std::optional<std::uint64_t> number, const db::Database& database) {
  if (!number) return std::nullopt;
  for (const db::RunSummary& run : db::list_runs(database))
    if (static_cast<std::uint64_t>(run.run) == *number) return run.run;
  throw Error(
      format("there is no run {} in {}; 'tune list runs' lists the runs", *number, database.path().string()),
      Exit::no_answer);
}

namespace {

/// Adds the settings of a workload; the first value of each is the default.
void add_settings(const std::string& key, std::vector<SettingInfo>& settings) {
  if (key.empty()) return;
  const Configuration values = Configuration::parse(key);
  for (const auto& [name, value] : values.entries()) {
    auto found = std::ranges::find(settings, name, &SettingInfo::name);
    if (found == settings.end()) {
      settings.push_back({name, "", {}, value});
      found = settings.end() - 1;
    }
    if (std::ranges::find(found->values, value) == found->values.end()) found->values.push_back(value);
  }
}

class StoredProblem : public Problem {
 public:
  explicit StoredProblem(const std::vector<db::RunSummary>& runs) {
    const db::Workload& newest = runs.front().workload;
    info_.name = newest.problem;
    info_.summary = "defined in a program";
    for (const auto& [name, extent] : newest.extents) info_.extents.push_back({name, "", extent});
    for (const db::RunSummary& run : runs) add_settings(run.workload.settings, info_.settings);
  }

  const ProblemInfo& info() const override { return info_; }
  search::SpaceDefinition space(const Instance&, const DeviceProperties&) const override { elsewhere(); }
  ProblemCost cost(const Instance&) const override { return {}; }
  Result<LaunchPlan> plan(const Instance&, const Configuration& configuration,
                          const KernelSources&) const override {
    LaunchPlan plan;
    for (const auto& [name, value] : configuration.entries())
      plan.compile.defines.emplace_back(name,
                                        value.is_bool() ? (value.as_bool() ? "1" : "0") : value.to_string());
    return plan;
  }
  TensorSet inputs(const Instance&, std::uint64_t) const override { elsewhere(); }
  TensorSet reference(const Instance&, const TensorSet&) const override { elsewhere(); }
  Tolerance tolerance(const Instance&) const override { elsewhere(); }
  std::vector<Instance> check_instances(const Instance&, const Configuration&) const override { return {}; }

 private:
  [[noreturn]] void elsewhere() const {
    throw UsageError(
        format("{} was defined in another program, and only that program can run it", info_.name));
  }

  ProblemInfo info_;
};

}  // namespace

std::unique_ptr<Problem> stored_problem(const std::vector<const db::Database*>& databases,
                                        const std::string& name) {
  for (const db::Database* database : databases) {
    const std::vector<db::RunSummary> runs = db::list_runs(*database, {.problem = name});
    if (!runs.empty()) return std::make_unique<StoredProblem>(runs);
  }
  return nullptr;
}

namespace {

bool is_definition(const std::string& word) {
  return word.ends_with(".json") || word.ends_with(".jsonc");
}

}  // namespace

std::vector<std::string> words_of(const std::string& command_line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, begun = false;
  for (std::size_t i = 0; i < command_line.size(); ++i) {
    const char c = command_line[i];
    if (c == '\'') {
      quoted = !quoted;
      begun = true;
    } else if (c == '\\' && !quoted && i + 1 < command_line.size()) {
      word += command_line[++i];
      begun = true;
    } else if (c == ' ' && !quoted) {
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

std::vector<std::string> named_definitions(const db::Database& database, const std::string& problem) {
  std::vector<db::RunSummary> runs = db::list_runs(database);
  std::erase_if(runs, [&](const db::RunSummary& run) { return run.workload.problem != problem; });
  std::ranges::stable_sort(runs, std::ranges::greater(), &db::RunSummary::started);
  std::vector<std::string> files;
  for (const db::RunSummary& run : runs) {
    const std::optional<RunRecord> record = db::readable_run_record(database, run.run);
    if (!record) continue;
    for (std::string word : words_of(record->options.command_line)) {
      if (word.starts_with("--problem=")) word.erase(0, std::string_view("--problem=").size());
      if (is_definition(word) && std::ranges::find(files, word) == files.end()) files.push_back(word);
    }
  }
  return files;
}

std::shared_ptr<const Problem> defined_problem(const std::string& problem,
                                               const std::vector<std::string>& files,
                                               std::string& failure_reason) {
  for (const std::string& file : files) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) continue;
    try {
      auto made = std::make_shared<described::DescribedProblem>(described::read_definition(file));
      if (made->info().name == problem) return made;
    } catch (const UsageError&) {
      continue;  // another file of that name, or one that was changed
    }
  }
  failure_reason =
      files.empty()
          ? format("'{}' is not a problem of this program: name the file of its definition with --problem",
                   problem)
          : format("its definition {} does not exist: name the file with --problem", files.front());
  return nullptr;
}

namespace {

/// The problem of a stored workload, and its instance.
struct ProblemAtSize {
  std::shared_ptr<const Problem> problem;
  Instance instance;
};

/// A built-in problem, or one whose definition is still where a stored run named it. Nothing where there is
/// neither, and where a version with other settings stored the workload.
std::optional<ProblemAtSize> problem_of(const db::Database& database, const db::Workload& workload) try {
  ProblemAtSize found;
  if (const kernels::ProblemEntry* const entry = kernels::find_problem(workload.problem)) {
    found.problem = entry->make();
  } else {
    std::string ignored;
    found.problem = defined_problem(workload.problem, named_definitions(database, workload.problem), ignored);
  }
  if (found.problem == nullptr) return std::nullopt;
  found.instance =
      make_instance(found.problem->info(), workload.size, Configuration::parse(workload.settings).entries());
  return found;
} catch (const Error&) {  // also a file that the definition names and that is gone
  return std::nullopt;
}

}  // namespace

std::optional<search::Configuration> stored_default(const db::Database& database,
                                                    const db::Workload& workload) try {
  const std::optional<ProblemAtSize> found = problem_of(database, workload);
  if (!found) return std::nullopt;
  search::SpaceDefinition definition =
      found->problem->space(found->instance, architecture_properties(workload.architecture));
  // Only the default's validity is needed: the whole space would take a second for each size.
  const std::vector<search::Parameter> parameters = definition.parameters;
  for (const search::Parameter& parameter : parameters)
    definition = search::pin(std::move(definition), parameter.name, parameter.default_value);
  const search::SearchSpace space(std::move(definition));
  const auto id = space.default_configuration();
  return id ? std::optional(space.at(*id)) : std::nullopt;
} catch (const UsageError&) {  // stored by a version with other devices
  return std::nullopt;
}

Objective stored_metric(const db::Database& database, const db::Workload& workload,
                        const Objective& named) try {
  if (named == Objective::time) return named;
  const std::optional<ProblemAtSize> found = problem_of(database, workload);
  if (!found) return recorded_objective(named);
  // The problem lives as long as the function.
  return objective_of(named, *found->problem, found->instance).with([&](const MetricObjective& one) {
    MetricObjective metric = one;
    metric.value = [value = one.value, problem = found->problem](const MeasuredFigures& figures) {
      return value(figures);
    };
    return metric;
  });
} catch (const UsageError&) {  // the definition has no such metric any more
  return recorded_objective(named);
}

std::optional<StoredLowFidelity> stored_low_fidelity(const db::Database& database,
                                                     const db::Workload& workload) {
  const std::optional<ProblemAtSize> found = problem_of(database, workload);
  if (!found) return std::nullopt;
  const std::optional<Instance> cheaper = found->problem->low_fidelity(found->instance);
  if (!cheaper) return std::nullopt;
  return StoredLowFidelity{*cheaper, instance_difference(found->instance, *cheaper)};
}

}  // namespace tune::cli
