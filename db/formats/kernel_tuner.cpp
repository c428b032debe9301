// SPDX-License-Identifier: Apache-2.0
#include "db/formats/kernel_tuner.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::replay {
namespace {

constexpr double millisecond = 1e-3;

/// `[4096, 4096]`, `4096` or a text, as `4096x4096`.
std::string size_text(const Json& size) {
  if (size.is_string()) return size.get<std::string>();
  if (!size.is_array()) return size.is_null() ? std::string() : shown(size);
  std::string text;
  for (const Json& extent : size)
    text += (text.empty() ? "" : "x") + (extent.is_string() ? extent.get<std::string>() : shown(extent));
  return text;
}

/// Its names of what went wrong.
Failure kernel_tuner_failure(const Json& time) {
  if (!time.is_string()) return {Phase::launch, "no time", "its time is " + shown(time)};
  const std::string name = printable(time.get<std::string>());
  if (name == "CompilationFailedConfig") return {Phase::compile, "compilation failed", name};
  if (name == "InvalidConfig") return {Phase::constraint, "invalid", name};
  if (name == "RuntimeFailedConfig") return {Phase::launch, "run failed", name};
  return {Phase::launch, name, name};
}

}  // namespace

void read_kernel_tuner_head(const Json& head, ThirdPartyRecord& record, const std::string& file) {
  const Json* keys = member(head, "tune_params_keys");
  if (keys == nullptr || !keys->is_array())
    throw Error(
        format("{}: 'cache' without a list 'tune_params_keys' before it: not written by Kernel Tuner", file));
  record.format = "Kernel Tuner";
  record.problem = printable(text_member(head, "kernel_name"));
  record.device = printable(text_member(head, "device_name"));
  if (const Json* size = member(head, "problem_size")) record.workload = printable(size_text(*size));
  const Json* declared = member(head, "tune_params");
  for (const Json& key : *keys) {
    if (!key.is_string())
      throw Error(format("{}: 'tune_params_keys' holds {}, not a name", file, shown(key)));
    record.parameters.push_back(parameter_name(key.get<std::string>()));
    std::vector<Value>& values = record.declared.emplace_back();
    const Json* list = declared == nullptr ? nullptr : member(*declared, key.get<std::string>().c_str());
    if (list == nullptr || !list->is_array()) continue;
    for (const Json& one : *list)
      if (const auto value = parameter_value(one)) values.push_back(*value);
  }
}

void read_kernel_tuner_entry(const Json& entry, const std::string& key, ThirdPartyRecord& record,
                             const std::string& file, Samples samples) {
  Evaluation evaluation;
  std::size_t next = 0;
  for (const auto& [name, content] : entry.items()) {
    // Its writer puts the parameters first, in order: no search as long as that holds.
    const std::string parameter = parameter_name(name);
    const bool expected = next < record.parameters.size() && record.parameters[next] == parameter;
    if (!expected && std::ranges::find(record.parameters, parameter) == record.parameters.end()) continue;
    ++next;
    if (evaluation.configuration.has(parameter))
      throw Error(
          format("{}: configuration \"{}\" has two parameters '{}': rename one", file, key, parameter));
    const auto value = parameter_value(content);
    if (!value)
      throw Error(format("{}: configuration \"{}\": '{}' is {}, not a number or text", file, key, name,
                         shown(content)));
    evaluation.configuration.set(parameter, *value);
  }
  for (const std::string& parameter : record.parameters)
    if (!evaluation.configuration.has(parameter))
      throw Error(
          format("{}: configuration \"{}\" has no '{}', which 'tune_params_keys' names: record it again",
                 file, key, parameter));
  const Json* time = member(entry, "time");
  if (time == nullptr)
    throw Error(format("{}: configuration \"{}\" has no 'time': only recordings of times can be replayed",
                       file, key));
  if (const auto milliseconds = time_of(*time)) {
    Measurement measurement;
    const Json* times = samples == Samples::keep ? member(entry, "times") : nullptr;
    measurement.samples = samples_or(*milliseconds * millisecond, times, millisecond);
    evaluation.outcome = std::move(measurement);
  } else {
    evaluation.outcome = tl::unexpected(kernel_tuner_failure(*time));
  }
  evaluation.phases.compile = seconds_member(entry, "compile_time", millisecond);
  evaluation.phases.verify = seconds_member(entry, "verification_time", millisecond);
  evaluation.phases.measure = seconds_member(entry, "benchmark_time", millisecond);
  record.evaluations.push_back(std::move(evaluation));
  record.recorded.push_back(utc_time(text_member(entry, "timestamp")));
}

}  // namespace tune::replay
