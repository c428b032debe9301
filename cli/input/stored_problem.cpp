// SPDX-License-Identifier: Apache-2.0
#include "cli/input/stored_problem.hpp"

#include <algorithm>

#include "db/read/queries.hpp"
#include "search/space/configuration.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

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

}  // namespace tune::cli
