// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/formats/file_format.hpp"
#include "db/formats/write.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::replay {
namespace {

/// Translates the values of the schema, but for `correct`.
Failure t4_failure(const std::string& invalidity, const Json* time) {
  const std::string detail = time == nullptr ? std::string() : shown(*time);
  if (invalidity == "compile") return {Phase::compile, "compilation failed", detail};
  if (invalidity == "constraints") return {Phase::constraint, "invalid", detail};
  if (invalidity == "timeout") return {Phase::timeout, "timeout", detail};
  if (invalidity == "correctness") return {Phase::verify, "wrong result", detail};
  if (invalidity == "runtime") return {Phase::launch, "run failed", detail};
  return {Phase::launch, invalidity.empty() || invalidity == "correct" ? "no time" : invalidity, detail};
}

/// Empty where the entry names none.
std::string first_objective(const Json& entry) {
  const Json* objectives = member(entry, "objectives");
  if (objectives == nullptr || !objectives->is_array() || objectives->empty() ||
      !objectives->front().is_string())
    return {};
  return objectives->front().get<std::string>();
}

/// True for a unit of time, and without one for a name that says so.
bool is_time(const std::string& name, const std::string& unit) {
  if (!unit.empty()) return known_unit(unit).has_value();
  return name.find("time") != std::string::npos || name.find("Time") != std::string::npos ||
         name.find("duration") != std::string::npos;
}

/// Returns the measurement called `time`, else that of the first objective, where it is a time.
const Json* measurement_of_time(const Json& measurements, const std::string& objective) {
  const Json* of_objective = nullptr;
  for (const Json& measurement : measurements) {
    const std::string name = text_member(measurement, "name");
    if (name == "time") return &measurement;
    if (name == objective && is_time(name, text_member(measurement, "unit"))) of_objective = &measurement;
  }
  return of_objective;
}

class T4Reader : public FormatReader {
 public:
  using FormatReader::FormatReader;

  RecordedEvaluation read_entry(const Json& entry, std::size_t number, const std::string&,
                                const Json&) override {
    const std::string where = format("{}: entry {} of 'results'", file_, number);
    RecordedEvaluation result;
    Evaluation& evaluation = result.evaluation;
    const Json* configuration = member(entry, "configuration");
    if (configuration == nullptr || !configuration->is_object())
      throw UsageError(format("{} has no 'configuration': not a T4 file", where));
    for (const auto& [name, value] : configuration->items()) add_value(evaluation, name, value, where);
    const std::string objective = printable(first_objective(entry));
    if (record.objective.empty()) record.objective = objective;
    const Json* list = member(entry, "measurements");
    static const Json none = Json::array();
    const Json& measurements = list != nullptr && list->is_array() ? *list : none;
    const Json* measurement = measurement_of_time(measurements, objective);
    const Json* value = measurement == nullptr ? nullptr : member(*measurement, "value");
    const std::string invalidity = printable(text_member(entry, "invalidity"));
    const bool correct = invalidity.empty() || invalidity == "correct";
    if (correct && measurement == nullptr && !measurements.empty())
      throw UsageError(
          format("{}: none of its measurements is a time ('time', or the objective '{}' in a unit of "
                 "time): only times can be ranked",
                 where, objective));
    const auto time = value == nullptr ? std::nullopt : time_of(*value);
    const std::string unit = measurement == nullptr ? std::string() : text_member(*measurement, "unit");
    const Json* times = member(entry, "times");
    if (time && correct) {
      const double seconds = unit.empty() ? 1 : seconds_of_unit(unit, where);
      const Json* runtimes =
          samples_ == Samples::keep && times != nullptr ? member(*times, "runtimes") : nullptr;
      evaluation.outcome = measured(samples_or(*time * seconds, runtimes, seconds));
      for (const Json& other : measurements) {
        const Json* figure = &other == measurement ? nullptr : member(other, "value");
        if (figure != nullptr && figure->is_number())
          add_figure(*evaluation.outcome, text_member(other, "name"), figure->get<double>(),
                     text_member(other, "unit"));
      }
    } else {
      evaluation.outcome = tl::unexpected(t4_failure(invalidity, value));
    }
    if (times != nullptr) {
      evaluation.phases.compile = seconds_member(*times, "compilation", 1, where) +
                                  seconds_member(*times, "compilation_time", 1, where);
      evaluation.phases.measure = seconds_member(*times, "benchmark", 1, where);
      evaluation.phases.verify = seconds_member(*times, "validation", 1, where);
    }
    result.unit_of_file = unit.empty();
    names_no_unit_ = names_no_unit_ || unit.empty();
    result.recorded = utc_time(text_member(entry, "timestamp"));
    return result;
  }

  /// T4 does not require kernel, size and device.
  void finish(const Json& head) override {
    const Json* metadata = member(head, "metadata");
    record.format = "T4";
    if (metadata != nullptr) {
      record.problem = printable(text_member(*metadata, "kernel_name"));
      record.workload = printable(text_member(*metadata, "problem_size"));
      record.device = printable(text_member(*metadata, "device"));
    }
    const std::string unit = metadata == nullptr ? std::string() : text_member(*metadata, "timeunit");
    seconds_ = seconds_of_unit(unit.empty() ? "ms" : unit, file_);
    if (unit.empty() && names_no_unit_)
      record.notes.push_back("it names no unit of time: milliseconds are assumed");
  }

  void complete(RecordedEvaluation& entry) const override {
    PhaseTimes& phases = entry.evaluation.phases;
    for (double* time : {&phases.compile, &phases.measure, &phases.verify}) *time *= seconds_;
    if (!entry.evaluation.outcome || !entry.unit_of_file) return;
    for (double& sample : entry.evaluation.outcome->samples) sample *= seconds_;
  }

 private:
  bool names_no_unit_ = false;  ///< an entry does not
  double seconds_ = 1;          ///< of the file's unit
};

/// The schema's values of `invalidity`, by phase.
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
  const auto add = [&](const std::string& name, double value, const std::string& unit) {
    Json measurement = {{"name", name}, {"value", value}};
    if (!unit.empty()) measurement["unit"] = unit;
    entry["measurements"].push_back(std::move(measurement));
  };
  add("time", evaluation.outcome->time(), "seconds");
  if (evaluation.outcome->energy > 0) add("energy", evaluation.outcome->energy, "J");
  for (const auto& [metric, value] : evaluation.outcome->metrics) {
    const auto [name, unit] = name_and_unit(metric);
    add(name, value, unit);
  }
  return entry;
}

WrittenFile to_t4(const WrittenWorkload& workload, const TextSink& out) {
  const WrittenSummary summary = summary_of(workload);
  WrittenFile file = summary.file();
  tell_failures(summary, invalidities, file);
  tell_absent(summary, "missing parameters are left out", file);
  file.losses.push_back(
      "T4 has no driver, compiler, sources, machine state, "
      "resources, errors of results and re-rankings: left out");
  const Json head = {{"schema_version", "1.0.0"},
                     {"metadata",
                      {{"timeunit", "seconds"},
                       {"autotuner", "tune"},
                       {"kernel_name", workload.problem},
                       {"problem_size", workload.workload},
                       {"device", workload.device}}}};
  write_entries(
      head, t4_format(), workload,
      [](const Evaluation& evaluation, const std::string& recorded) {
        return text_of(entry_of(evaluation, recorded));
      },
      out);
  return file;
}

}  // namespace

FileFormat t4_format() {
  return {.name = "t4",
          .ending = ".t4.json",
          .title = "T4",
          .entries = "results",
          .head = {"metadata"},
          .samples = "runtimes",
          .samples_depth = 4,
          .reader = make_reader<T4Reader>,
          .write = to_t4};
}

}  // namespace tune::replay
