// SPDX-License-Identifier: Apache-2.0
#include "db/formats/ktt.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/formats/t4.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::replay {
namespace {

/// Its names of what went wrong.
Failure ktt_failure(const std::string& status, const Json* time) {
  if (status == "CompilationFailed") return {Phase::compile, "compilation failed", status};
  if (status == "DeviceLimitsExceeded") return {Phase::resources, "device limits", status};
  if (status == "ValidationFailed") return {Phase::verify, "wrong result", status};
  if (status == "ComputationFailed") return {Phase::launch, "run failed", status};
  if (status == "Ok") return {Phase::launch, "no time", time == nullptr ? "" : shown(*time)};
  return {Phase::launch, status.empty() ? "no status" : status, status};
}

void read_ktt_configuration(const Json& entry, ThirdPartyRecord& record, Evaluation& evaluation,
                            const std::string& where) {
  const Json* pairs = member(entry, "Configuration");
  if (pairs == nullptr || !pairs->is_array())
    throw Error(format("{} has no list 'Configuration': not written by KTT", where));
  for (const Json& pair : *pairs) {
    const std::string name = text_member(pair, "Name");
    const Json* content = member(pair, "Value");
    const auto value = content == nullptr ? std::nullopt : parameter_value(*content);
    if (name.empty() || !value)
      throw Error(format("{}: a parameter '{}' of 'Configuration' has no 'Name' or no 'Value'", where, name));
    const std::string parameter = parameter_name(name);
    if (std::ranges::find(record.parameters, parameter) == record.parameters.end())
      record.parameters.push_back(parameter);
    if (evaluation.configuration.has(parameter))
      throw Error(format("{}: two parameters are called '{}': rename one", where, parameter));
    evaluation.configuration.set(parameter, *value);
  }
}

}  // namespace

void read_ktt_entry(const Json& entry, ThirdPartyRecord& record, const std::string& file) {
  const std::string where = format("{}: entry {} of 'Results'", file, record.evaluations.size() + 1);
  Evaluation evaluation;
  read_ktt_configuration(entry, record, evaluation, where);
  const std::string kernel = printable(text_member(entry, "KernelName"));
  if (record.problem.empty()) record.problem = kernel;
  if (kernel != record.problem)
    throw Error(format("{} is of the kernel '{}', the first of '{}': one file is one space", where, kernel,
                       record.problem));
  const std::string status = printable(text_member(entry, "Status"));
  const Json* duration = member(entry, "TotalDuration");
  const auto time = duration == nullptr ? std::nullopt : time_of(*duration);
  if (time && status == "Ok") {
    Measurement measurement;
    measurement.samples = {*time};
    evaluation.outcome = std::move(measurement);
  } else {
    evaluation.outcome = tl::unexpected(ktt_failure(status, duration));
  }
  evaluation.phases.compile = seconds_member(entry, "CompilationOverhead", 1);
  evaluation.phases.verify = seconds_member(entry, "ValidationOverhead", 1);
  evaluation.phases.load = seconds_member(entry, "DataMovementOverhead", 1);
  record.evaluations.push_back(std::move(evaluation));
}

void finish_ktt(const Json& head, ThirdPartyRecord& record, const std::string& file) {
  record.format = "KTT";
  const Json* metadata = member(head, "Metadata");
  const std::string unit = metadata == nullptr ? std::string() : text_member(*metadata, "TimeUnit");
  if (unit.empty()) throw Error(format("{}: 'Metadata' names no 'TimeUnit': not written by KTT", file));
  const double seconds = seconds_of_unit(unit, file);
  record.device = printable(text_member(*metadata, "Device"));
  record.recorded.assign(record.evaluations.size(), utc_time(text_member(*metadata, "Timestamp")));
  for (Evaluation& evaluation : record.evaluations) {
    PhaseTimes& phases = evaluation.phases;
    for (double* time : {&phases.compile, &phases.verify, &phases.load}) *time *= seconds;
    if (!evaluation.outcome) continue;
    for (double& sample : evaluation.outcome->samples) sample *= seconds;
  }
}

}  // namespace tune::replay
