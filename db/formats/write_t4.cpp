// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/formats/losses.hpp"
#include "db/formats/write.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::replay {
namespace {

/// What its schema lists for `invalidity`, by phase.
constexpr FailureNames invalidities = {{{"constraints", Phase::constraint},
                                        {"compile", Phase::compile},
                                        {"runtime", Phase::launch},
                                        {"runtime", Phase::launch},
                                        {"correctness", Phase::verify},
                                        {"timeout", Phase::timeout},
                                        {"runtime", Phase::launch}}};

Json entry_of(const Evaluation& evaluation, const std::string& recorded) {
  Json entry = Json::object();
  if (!recorded.empty()) entry["timestamp"] = recorded;
  entry["configuration"] = Json::object();
  for (const auto& [name, value] : evaluation.configuration.entries())
    entry["configuration"][name] = json_value(value);
  const PhaseTimes& phases = evaluation.phases;
  entry["times"] = {{"compilation_time", phases.compile}, {"benchmark", phases.measure},
                    {"framework", phases.load},           {"search_algorithm", 0},
                    {"validation", phases.verify},        {"runtimes", Json::array()}};
  entry["invalidity"] = "correct";
  entry["correctness"] = 1;
  entry["measurements"] = Json::array();
  entry["objectives"] = {"time"};
  if (!evaluation.outcome) {
    const std::string_view name = name_of(evaluation.outcome.error(), invalidities);
    entry["invalidity"] = name;
    entry["correctness"] = name == "correctness" ? 0 : 1;
    return entry;
  }
  if (evaluation.outcome->samples.size() > 1) entry["times"]["runtimes"] = evaluation.outcome->samples;
  entry["measurements"].push_back(
      {{"name", "time"}, {"value", evaluation.outcome->time()}, {"unit", "seconds"}});
  return entry;
}

}  // namespace

std::string to_t4(ThirdPartyRecord& record) {
  tell_failures(record, invalidities);
  tell_absent(record, "those that they lack are left out");
  record.losses.push_back(
      "T4 has no driver, compiler, sources, machine state, resources, errors of results and finals: left "
      "out");
  Json results = Json::array();
  for (std::size_t i = 0; i < record.evaluations.size(); ++i)
    results.push_back(
        entry_of(record.evaluations[i], i < record.recorded.size() ? record.recorded[i] : std::string()));
  const Json file = {{"schema_version", "1.0.0"},
                     {"metadata",
                      {{"timeunit", "seconds"},
                       {"autotuner", "tune"},
                       {"kernel_name", record.problem},
                       {"problem_size", record.workload},
                       {"device", record.device}}},
                     {"results", std::move(results)}};
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tune::replay
