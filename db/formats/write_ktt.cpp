// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/formats/losses.hpp"
#include "db/formats/write.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::replay {
namespace {

/// Its states of a result, by phase.
constexpr FailureNames states = {{{"CompilationFailed", Phase::compile},
                                  {"CompilationFailed", Phase::compile},
                                  {"DeviceLimitsExceeded", Phase::resources},
                                  {"ComputationFailed", Phase::launch},
                                  {"ValidationFailed", Phase::verify},
                                  {"ComputationFailed", Phase::launch},
                                  {"ComputationFailed", Phase::launch}}};

std::string_view type_of(const search::Value& value) {
  if (value.is_bool()) return "Bool";
  if (value.is_int()) return value.as_int() < 0 ? "Int" : "UnsignedInt";
  return value.is_real() ? "Double" : "String";
}

Json entry_of(const ThirdPartyRecord& record, const Evaluation& evaluation) {
  Json configuration = Json::array();
  for (const auto& [name, value] : evaluation.configuration.entries())
    configuration.push_back({{"Name", name}, {"ValueType", type_of(value)}, {"Value", json_value(value)}});
  const bool measured = evaluation.outcome.has_value();
  const PhaseTimes& phases = evaluation.phases;
  return {{"KernelName", record.problem},
          {"Status", measured ? "Ok" : name_of(evaluation.outcome.error(), states)},
          {"TotalDuration", measured ? evaluation.outcome->time() : 0.0},
          {"TotalOverhead", 0.0},
          {"ExtraDuration", 0.0},
          {"ExtraOverhead", 0.0},
          {"DataMovementOverhead", phases.load},
          {"ValidationOverhead", phases.verify},
          {"SearcherOverhead", 0.0},
          {"CompilationOverhead", phases.compile},
          {"ProfilingOverhead", 0.0},
          {"Configuration", std::move(configuration)},
          {"ComputationResults", Json::array()}};
}

constexpr WriterEntry table[] = {
    {"t4", ".t4.json", to_t4}, {"kernel-tuner", ".kt.json", to_kernel_tuner}, {"ktt", ".ktt.json", to_ktt}};

}  // namespace

std::string to_ktt(ThirdPartyRecord& record) {
  const std::string size = size_without_settings(record, "KTT");
  if (!size.empty()) record.losses.push_back(format("KTT has no size of the problem ({}): left out", size));
  tell_failures(record, states);
  tell_absent(record, "those that they lack are left out");
  if (std::ranges::any_of(record.evaluations, [](const Evaluation& evaluation) {
        return evaluation.outcome && evaluation.outcome->samples.size() > 1;
      }))
    record.losses.push_back("KTT has one time for a result: single samples are left out, their median stays");
  record.losses.push_back(
      "KTT has no driver, compiler, sources, machine state, times of measuring, errors of results and "
      "finals: left "
      "out");
  if (!record.recorded.empty())
    record.losses.push_back("KTT has one time of day for a file: that of the last result");
  const std::string last = record.recorded.empty() ? "" : *std::ranges::max_element(record.recorded);
  Json results = Json::array();
  for (const Evaluation& evaluation : record.evaluations) results.push_back(entry_of(record, evaluation));
  const Json file = {{"Metadata",
                      {{"ComputeApi", "CUDA"},
                       {"GlobalSizeType", "CUDA"},
                       {"Platform", "NVIDIA CUDA"},
                       {"Device", record.device},
                       {"KttVersion", "written by tune"},
                       {"Timestamp", last},
                       {"TimeUnit", "Seconds"}}},
                     {"Results", std::move(results)}};
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::span<const WriterEntry> writers() {
  return table;
}

}  // namespace tune::replay
