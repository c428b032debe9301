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

/// Translates its names of failures.
Failure ktt_failure(const std::string& status, const Json* time) {
  if (status == "CompilationFailed") return {Phase::compile, "compilation failed", status};
  if (status == "DeviceLimitsExceeded") return {Phase::resources, "device limits", status};
  if (status == "ValidationFailed") return {Phase::verify, "wrong result", status};
  if (status == "ComputationFailed") return {Phase::launch, "run failed", status};
  if (status == "Ok") return {Phase::launch, "no time", time == nullptr ? "" : shown(*time)};
  return {Phase::launch, status.empty() ? "no status" : status, status};
}

/// KTT's states of a result, by phase.
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

Json entry_of(const std::string& problem, const Evaluation& evaluation) {
  Json configuration = Json::array();
  for (const auto& [name, value] : evaluation.configuration.entries())
    configuration.push_back({{"Name", name}, {"ValueType", type_of(value)}, {"Value", json_value(value)}});
  const bool measured = evaluation.outcome.has_value();
  const PhaseTimes& phases = evaluation.phases;
  return {{"KernelName", problem},
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

class KttReader : public FormatReader {
 public:
  using FormatReader::FormatReader;

  RecordedEvaluation read_entry(const Json& entry, std::size_t number, const std::string&,
                                const Json&) override {
    const std::string where = format("{}: entry {} of 'Results'", file_, number);
    RecordedEvaluation result;
    Evaluation& evaluation = result.evaluation;
    const Json* pairs = member(entry, "Configuration");
    if (pairs == nullptr || !pairs->is_array())
      throw UsageError(format("{} has no list 'Configuration': not written by KTT", where));
    for (const Json& pair : *pairs) {
      const std::string name = text_member(pair, "Name");
      const Json* value = member(pair, "Value");
      if (name.empty() || value == nullptr)
        throw UsageError(
            format("{}: a parameter '{}' of 'Configuration' has no 'Name' or no 'Value'", where, name));
      add_value(evaluation, name, *value, where);
    }
    const std::string kernel = printable(text_member(entry, "KernelName"));
    if (record.problem.empty()) record.problem = kernel;
    if (kernel != record.problem)
      throw UsageError(format("{} is of the kernel '{}', the first of '{}': one file is one space", where,
                              kernel, record.problem));
    const std::string status = printable(text_member(entry, "Status"));
    const Json* duration = member(entry, "TotalDuration");
    const auto time = duration == nullptr ? std::nullopt : time_of(*duration);
    if (time && status == "Ok")
      evaluation.outcome = measured({*time});
    else
      evaluation.outcome = tl::unexpected(ktt_failure(status, duration));
    evaluation.phases.compile = seconds_member(entry, "CompilationOverhead", 1, where);
    evaluation.phases.verify = seconds_member(entry, "ValidationOverhead", 1, where);
    evaluation.phases.load = seconds_member(entry, "DataMovementOverhead", 1, where);
    return result;
  }

  /// The unit stands before or behind the results.
  void finish(const Json& head) override {
    record.format = "KTT";
    const Json* metadata = member(head, "Metadata");
    const std::string unit = metadata == nullptr ? std::string() : text_member(*metadata, "TimeUnit");
    if (unit.empty())
      throw UsageError(format("{}: 'Metadata' names no 'TimeUnit': not written by KTT", file_));
    seconds_ = seconds_of_unit(unit, file_);
    record.device = printable(text_member(*metadata, "Device"));
    recorded_ = utc_time(text_member(*metadata, "Timestamp"));
  }

  void complete(RecordedEvaluation& entry) const override {
    entry.recorded = recorded_;
    PhaseTimes& phases = entry.evaluation.phases;
    for (double* time : {&phases.compile, &phases.verify, &phases.load}) *time *= seconds_;
    if (!entry.evaluation.outcome) return;
    for (double& sample : entry.evaluation.outcome->samples) sample *= seconds_;
  }

 private:
  double seconds_ = 1;    ///< of the file's unit
  std::string recorded_;  ///< of all entries
};

WrittenFile to_ktt(const WrittenWorkload& workload, const TextSink& out) {
  const WrittenSummary summary = summary_of(workload);
  WrittenFile file = summary.file();
  const std::string size = size_without_settings(workload, "KTT", file);
  if (!size.empty()) file.losses.push_back(format("KTT has no size of the problem ({}): left out", size));
  tell_failures(summary, states, file);
  tell_absent(summary, "missing parameters are left out", file);
  if (summary.several_samples)
    file.losses.push_back("KTT has one time for a result: single samples are left out, their median stays");
  file.losses.push_back(
      "KTT has no driver, compiler, sources, machine state, times "
      "of measuring, errors of results and re-rankings: left out");
  if (summary.figures) file.losses.push_back("energies and metrics are left out");
  if (!summary.last_recorded.empty())
    file.losses.push_back("KTT has one time of day for a file: that of the last result");
  const Json head = {{"Metadata",
                      {{"ComputeApi", "CUDA"},
                       {"GlobalSizeType", "CUDA"},
                       {"Platform", "NVIDIA CUDA"},
                       {"Device", workload.device},
                       {"KttVersion", "written by tune"},
                       {"Timestamp", summary.last_recorded},
                       {"TimeUnit", "Seconds"}}}};
  write_entries(
      head, ktt_format(), workload,
      [&](const Evaluation& evaluation, const std::string&) {
        return text_of(entry_of(workload.problem, evaluation));
      },
      out);
  return file;
}

}  // namespace

FileFormat ktt_format() {
  return {.name = "ktt",
          .ending = ".ktt.json",
          .title = "results of KTT",
          .entries = "Results",
          .head = {"Metadata"},
          .reader = make_reader<KttReader>,
          .write = to_ktt};
}

}  // namespace tune::replay
