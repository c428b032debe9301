// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "db/formats/losses.hpp"
#include "db/formats/write.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::replay {
namespace {

/// Its error types, by phase.
constexpr FailureNames error_types = {{{"InvalidConfig", Phase::constraint},
                                       {"CompilationFailedConfig", Phase::compile},
                                       {"RuntimeFailedConfig", Phase::launch},
                                       {"RuntimeFailedConfig", Phase::launch},
                                       {"RuntimeFailedConfig", Phase::launch},
                                       {"RuntimeFailedConfig", Phase::launch},
                                       {"RuntimeFailedConfig", Phase::launch}}};
constexpr double milliseconds = 1e3;

/// `512x256` as [512, 256]; another text as it is.
Json size_of(const std::string& size) {
  Json extents = Json::array();
  const char* at = size.data();
  const char* const end = at + size.size();
  while (at != end) {
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(at, end, extent);
    if (error != std::errc{} || (stop != end && *stop != 'x')) return size;
    extents.push_back(extent);
    at = stop == end ? end : stop + 1;
  }
  return extents;
}

Json value_of(const Evaluation& evaluation, const std::string& parameter) {
  const search::Value* value = evaluation.configuration.find(parameter);
  return value == nullptr ? Json(absent) : json_value(*value);
}

/// Every value that occurs, in the order in which they come; numbers in increasing order.
Json values_of(const ThirdPartyRecord& record, const std::string& parameter) {
  Json values = Json::array();
  for (const Evaluation& evaluation : record.evaluations) {
    Json value = value_of(evaluation, parameter);
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }
  if (std::ranges::all_of(values, [](const Json& value) { return value.is_number(); }))
    std::sort(values.begin(), values.end());
  return values;
}

Json entry_of(const ThirdPartyRecord& record, const Evaluation& evaluation, const std::string& recorded) {
  Json entry = Json::object();
  for (const std::string& parameter : record.parameters) entry[parameter] = value_of(evaluation, parameter);
  if (evaluation.outcome) {
    std::vector<double> times = evaluation.outcome->samples;
    for (double& time : times) time *= milliseconds;
    entry["time"] = evaluation.outcome->time() * milliseconds;
    entry["times"] = times;
  } else {
    entry["time"] = name_of(evaluation.outcome.error(), error_types);
  }
  const PhaseTimes& phases = evaluation.phases;
  entry["compile_time"] = phases.compile * milliseconds;
  entry["verification_time"] = phases.verify * milliseconds;
  entry["benchmark_time"] = phases.measure * milliseconds;
  entry["strategy_time"] = 0;
  entry["framework_time"] = phases.load * milliseconds;
  if (!recorded.empty()) entry["timestamp"] = recorded;
  return entry;
}

/// `16,1,none`, as the tuner looks it up.
std::string key_of(const ThirdPartyRecord& record, const Evaluation& evaluation) {
  std::string key;
  for (const std::string& parameter : record.parameters) {
    const search::Value* value = evaluation.configuration.find(parameter);
    key += (key.empty() ? "" : ",") + (value == nullptr ? std::string(absent) : value->to_string());
  }
  return key;
}

}  // namespace

std::string to_kernel_tuner(ThirdPartyRecord& record) {
  const std::string size = size_without_settings(record, "a cache of Kernel Tuner");
  tell_failures(record, error_types);
  tell_absent(record, format("'{}' is written for those that they lack", absent));
  record.losses.push_back(
      "a cache of Kernel Tuner has no driver, compiler, sources, machine state, resources, errors of results "
      "and "
      "finals: left out");
  record.losses.push_back("its times are milliseconds: reading them back may change their last digit");
  Json file = {{"device_name", record.device},  {"kernel_name", record.problem},
               {"problem_size", size_of(size)}, {"tune_params_keys", record.parameters},
               {"tune_params", Json::object()}, {"objective", "time"}};
  for (const std::string& parameter : record.parameters)
    file["tune_params"][parameter] = values_of(record, parameter);
  // One entry a line, as Kernel Tuner writes them: a cache that is cut off is read up to the cut.
  std::string text = file.dump(1, ' ', false, Json::error_handler_t::replace);
  text.erase(text.rfind('\n'));
  text += ",\n\"cache\": {";
  for (std::size_t i = 0; i < record.evaluations.size(); ++i) {
    const Evaluation& evaluation = record.evaluations[i];
    const std::string recorded = i < record.recorded.size() ? record.recorded[i] : std::string();
    text +=
        format("{}\n{}: {}", i == 0 ? "" : ",", Json(key_of(record, evaluation)).dump(),
               entry_of(record, evaluation, recorded).dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return text + "\n}\n}\n";
}

}  // namespace tune::replay
