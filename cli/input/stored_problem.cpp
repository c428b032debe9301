// SPDX-License-Identifier: Apache-2.0
#include "cli/input/stored_problem.hpp"

#include <algorithm>
#include <filesystem>

#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"
#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/registry.hpp"
#include "search/space/configuration.hpp"
#include "search/space/search_space.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/device/architectures.hpp"

namespace tune::cli {
namespace {

/// Adds what a work's settings are to what is known; what comes first is the default.
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
    throw UsageError(format("{} was defined in a program, which alone can run it", info_.name));
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
    const std::string line = db::run_details(database, run.run, false).record.options.command_line;
    for (std::string word : words_of(line)) {
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
      auto made = std::make_shared<definition::DescribedProblem>(definition::read_definition(file));
      if (made->info().name == problem) return made;
    } catch (const UsageError&) {
      continue;  // another file of that name, or one that was changed
    }
  }
  failure_reason =
      files.empty()
          ? format("'{}' is no problem of this program: name the file of its definition with --problem",
                   problem)
          : format("its definition {} is not here: name the file with --problem", files.front());
  return nullptr;
}

std::optional<search::Configuration> stored_default(const db::Workload& workload) {
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    if (entry.name != workload.problem) continue;
    const auto problem = entry.make();
    std::vector<std::pair<std::string, Value>> settings;
    const Configuration stored = Configuration::parse(workload.settings);
    for (const auto& [name, value] : stored.entries()) settings.emplace_back(name, value);
    try {
      const Instance instance = make_instance(problem->info(), workload.size, settings);
      search::SpaceDefinition definition =
          problem->space(instance, architecture_properties(workload.architecture));
      // Only whether the default is valid is asked: the whole space would take a second for each size.
      const std::vector<search::Parameter> parameters = definition.parameters;
      for (const search::Parameter& parameter : parameters)
        definition = search::pin(std::move(definition), parameter.name, parameter.default_value);
      const search::SearchSpace space(std::move(definition));
      const auto id = space.default_configuration();
      if (id) return space.at(*id);
    } catch (const UsageError&) {
      return std::nullopt;  // stored by a version that knew other settings or devices
    }
  }
  return std::nullopt;
}

}  // namespace tune::cli
