// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "db/formats/file_format.hpp"
#include "db/formats/write.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::replay {
namespace {

constexpr double millisecond = 1e-3;

/// Returns `[4096, 4096]`, `4096` or a text as `4096x4096`.
std::string size_text(const Json& size) {
  if (size.is_string()) return size.get<std::string>();
  if (!size.is_array()) return size.is_null() ? std::string() : shown(size);
  const auto text_of = [](const Json& extent) {
    return extent.is_string() ? extent.get<std::string>() : shown(extent);
  };
  return joined(size, text_of, "x");
}

/// Translates its names of failures.
Failure kernel_tuner_failure(const Json& time) {
  if (!time.is_string()) return {Phase::launch, "no time", "its time is " + shown(time)};
  const std::string name = printable(time.get<std::string>());
  if (name == "CompilationFailedConfig") return {Phase::compile, "compilation failed", name};
  if (name == "InvalidConfig") return {Phase::constraint, "invalid", name};
  if (name == "RuntimeFailedConfig") return {Phase::launch, "run failed", name};
  return {Phase::launch, name, name};
}

class KernelTunerReader : public FormatReader {
 public:
  using FormatReader::FormatReader;

  RecordedEvaluation read_entry(const Json& entry, std::size_t number, const std::string& key,
                                const Json& head) override {
    if (number == 1) read_head(head);
    const std::string where = format("{}: configuration \"{}\"", file_, key);
    RecordedEvaluation result;
    Evaluation& evaluation = result.evaluation;
    std::size_t next = 0;
    for (const auto& [name, value] : entry.items()) {
      // Its writer puts the parameters first, in order; then no search is needed.
      const std::string parameter = parameter_name(name);
      const bool expected = next < record.parameters.size() && record.parameters[next] == parameter;
      if (!expected && std::ranges::find(record.parameters, parameter) == record.parameters.end()) continue;
      ++next;
      set_value(evaluation, name, value, where);
    }
    for (const std::string& parameter : record.parameters)
      if (!evaluation.configuration.has(parameter))
        throw UsageError(
            format("{} has no '{}', which 'tune_params_keys' names: record it again", where, parameter));
    const Json* time = member(entry, "__error__");  // in its place since version 1.0
    if (time == nullptr || !time->is_string()) time = member(entry, "time");
    if (time == nullptr)
      throw UsageError(format("{} has no 'time': only recordings of times can be replayed", where));
    if (const auto milliseconds = time_of(*time)) {
      const Json* times = samples_ == Samples::keep ? member(entry, "times") : nullptr;
      evaluation.outcome = measured(samples_or(*milliseconds * millisecond, times, millisecond));
    } else {
      evaluation.outcome = tl::unexpected(kernel_tuner_failure(*time));
    }
    if (evaluation.outcome) read_figures(entry, *evaluation.outcome);
    evaluation.phases.compile = seconds_member(entry, "compile_time", millisecond, where);
    evaluation.phases.verify = seconds_member(entry, "verification_time", millisecond, where);
    evaluation.phases.measure = seconds_member(entry, "benchmark_time", millisecond, where);
    result.recorded = utc_time(text_member(entry, "timestamp"));
    return result;
  }

  void finish(const Json&) override {}
  void complete(RecordedEvaluation&) const override {}
  /// A killed Kernel Tuner leaves its cache so: it closes the braces when it ends.
  bool may_be_cut_off() const override { return true; }

 private:
  /// All numbers that have no other meaning are metrics, as observers and users' metrics write them.
  void read_figures(const Json& entry, Measurement& measurement) const {
    constexpr std::array others = {"time",           "compile_time",   "verification_time",
                                   "benchmark_time", "framework_time", "strategy_time"};
    for (const auto& [name, value] : entry.items()) {
      if (!value.is_number() || std::ranges::find(others, name) != others.end()) continue;
      if (std::ranges::find(record.parameters, parameter_name(name)) != record.parameters.end()) continue;
      add_figure(measurement, name, value.get<double>(), "");
    }
  }

  void read_head(const Json& head) {
    const Json* keys = member(head, "tune_params_keys");
    if (keys == nullptr || !keys->is_array())
      throw UsageError(format(
          "{}: 'cache' without a list 'tune_params_keys' before it: not written by Kernel Tuner", file_));
    record.format = "Kernel Tuner";
    record.problem = printable(text_member(head, "kernel_name"));
    record.device = printable(text_member(head, "device_name"));
    record.objective = printable(text_member(head, "objective"));
    if (const Json* size = member(head, "problem_size")) record.workload = printable(size_text(*size));
    const Json* declared = member(head, "tune_params");
    for (const Json& key : *keys) {
      if (!key.is_string())
        throw UsageError(format("{}: 'tune_params_keys' holds {}, not a name", file_, shown(key)));
      record.parameters.push_back(parameter_name(key.get<std::string>()));
      std::vector<Value>& values = record.declared.emplace_back();
      const Json* list = declared == nullptr ? nullptr : member(*declared, key.get<std::string>().c_str());
      if (list == nullptr || !list->is_array()) continue;
      for (const Json& one : *list)
        if (const auto value = parameter_value(one)) values.push_back(*value);
    }
  }
};

/// Its error types, by phase.
constexpr FailureNames error_types = {{{"InvalidConfig", Phase::constraint},
                                       {"CompilationFailedConfig", Phase::compile},
                                       {"RuntimeFailedConfig", Phase::launch},
                                       {"RuntimeFailedConfig", Phase::launch},
                                       {"RuntimeFailedConfig", Phase::launch},
                                       {"RuntimeFailedConfig", Phase::launch},
                                       {"RuntimeFailedConfig", Phase::launch}}};
constexpr double milliseconds = 1e3;

/// Returns `512x256` as [512, 256]; another text as it is.
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

using Parameters = std::vector<WrittenSummary::Parameter>;

Json value_of(const Evaluation& evaluation, const std::string& parameter) {
  const search::Value* value = evaluation.configuration.find(parameter);
  return value == nullptr ? Json(absent) : json_value(*value);
}

/// Returns every value that occurs, in order of arrival; numbers in increasing order.
Json values_of(const WrittenSummary::Parameter& parameter, std::size_t evaluations) {
  Json values = Json::array();
  for (const search::Value& value : parameter.values) values.push_back(json_value(value));
  if (parameter.count < evaluations) values.push_back(absent);
  if (std::ranges::all_of(values, [](const Json& value) { return value.is_number(); }))
    std::sort(values.begin(), values.end());
  return values;
}

Json entry_of(const Parameters& parameters, const Evaluation& evaluation, const std::string& recorded) {
  Json entry = Json::object();
  for (const auto& parameter : parameters) entry[parameter.name] = value_of(evaluation, parameter.name);
  if (evaluation.outcome) {
    std::vector<double> times = evaluation.outcome->samples;
    for (double& time : times) time *= milliseconds;
    entry["time"] = evaluation.outcome->time() * milliseconds;
    entry["times"] = times;
    if (evaluation.outcome->energy > 0) entry["energy"] = evaluation.outcome->energy;
    for (const auto& [name, value] : evaluation.outcome->metrics)
      if (!entry.contains(name)) entry[name] = value;
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

/// Returns `16,1,none`, as the tuner looks it up.
std::string key_of(const Parameters& parameters, const Evaluation& evaluation) {
  const auto text = [&](const WrittenSummary::Parameter& parameter) {
    const search::Value* value = evaluation.configuration.find(parameter.name);
    return value == nullptr ? std::string(absent) : value->to_string();
  };
  return joined(parameters, text, ",");
}

/// A cache that is cut off is read up to the cut: Kernel Tuner writes one entry a line, too.
WrittenFile to_kernel_tuner(const WrittenWorkload& workload, const TextSink& out) {
  const WrittenSummary summary = summary_of(workload);
  const Parameters& parameters = summary.parameters;
  WrittenFile file = summary.file();
  const std::string size = size_without_settings(workload, "a cache of Kernel Tuner", file);
  tell_failures(summary, error_types, file);
  tell_absent(summary, format("'{}' is written for missing parameters", absent), file);
  file.losses.push_back(
      "a cache of Kernel Tuner has no driver, compiler, sources, "
      "machine state, resources, errors of results and re-rankings: left out");
  file.losses.push_back("its times are milliseconds: reading them back may change their last digit");
  Json keys = Json::array(), values = Json::object();
  for (const auto& parameter : parameters) {
    keys.push_back(parameter.name);
    values[parameter.name] = values_of(parameter, summary.count);
  }
  const Json head = {{"device_name", workload.device},   {"kernel_name", workload.problem},
                     {"problem_size", size_of(size)},    {"tune_params_keys", std::move(keys)},
                     {"tune_params", std::move(values)}, {"objective", "time"}};
  write_entries(
      head, kernel_tuner_format(), workload,
      [&](const Evaluation& evaluation, const std::string& recorded) {
        return format("{}: {}", text_of(key_of(parameters, evaluation)),
                      text_of(entry_of(parameters, evaluation, recorded)));
      },
      out);
  return file;
}

}  // namespace

FileFormat kernel_tuner_format() {
  return {
      .name = "kernel-tuner",
      .ending = ".kt.json",
      .title = "a cache of Kernel Tuner",
      .entries = "cache",
      .named_entries = true,
      .head = {"kernel_name", "device_name", "problem_size", "tune_params_keys", "tune_params", "objective"},
      .samples = "times",
      .samples_depth = 3,
      .reader = make_reader<KernelTunerReader>,
      .write = to_kernel_tuner};
}

}  // namespace tune::replay
