// SPDX-License-Identifier: Apache-2.0
#include "db/formats/write.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "tuner/base/format.hpp"

namespace tune::replay {
std::string_view name_of(const Failure& failure, const FailureNames& names) {
  return names.at(static_cast<std::size_t>(failure.phase)).word;
}

WrittenFile WrittenSummary::file() const {
  WrittenFile result{.count = count};
  for (const auto& [phase, failed] : failures) result.failures += failed;
  return result;
}

WrittenSummary summary_of(const WrittenWorkload& workload) {
  WrittenSummary summary;
  std::unordered_map<std::string, std::size_t> places;  // of parameters
  std::vector<std::unordered_set<std::string>> known;   // values of each, as texts
  workload.each([&](const Evaluation& evaluation, const std::string& recorded) {
    ++summary.count;
    if (evaluation.outcome) {
      const Measurement& measured = *evaluation.outcome;
      summary.several_samples = summary.several_samples || measured.samples.size() > 1;
      summary.figures = summary.figures || measured.energy > 0 || !measured.metrics.empty();
    } else {
      ++summary.failures[evaluation.outcome.error().phase];
    }
    summary.last_recorded = std::max(summary.last_recorded, recorded);
    const auto& entries = evaluation.configuration.entries();
    ++summary.sizes[entries.size()];
    for (const auto& [name, value] : entries) {
      const auto [place, is_new] = places.try_emplace(name, places.size());
      if (is_new) {
        summary.parameters.push_back({.name = name});
        known.emplace_back();
      }
      WrittenSummary::Parameter& parameter = summary.parameters[place->second];
      ++parameter.count;
      if (known[place->second].insert(value.to_string()).second) parameter.values.push_back(value);
    }
  });
  return summary;
}

void tell_failures(const WrittenSummary& summary, const FailureNames& names, WrittenFile& file) {
  for (const auto& [phase, count] : summary.failures) {
    const FailureWord& word = names.at(static_cast<std::size_t>(phase));
    if (word.read_as != phase)
      file.losses.push_back(
          format("{} failures of phase {} are written as {}", count, to_string(phase), word.word));
  }
  if (!summary.failures.empty())
    file.losses.push_back("reasons and details of failures have no field: left out");
}

std::string size_without_settings(const WrittenWorkload& workload, std::string_view format_name,
                                  WrittenFile& file) {
  const std::size_t space = workload.workload.find(' ');
  if (space == std::string::npos) return workload.workload;
  file.losses.push_back(
      format("{} has no settings ({}): left out", format_name, workload.workload.substr(space + 1)));
  return workload.workload.substr(0, space);
}

void tell_absent(const WrittenSummary& summary, std::string_view written, WrittenFile& file) {
  std::size_t lacking = 0;
  for (const auto& [size, count] : summary.sizes)
    if (size < summary.parameters.size()) lacking += count;
  if (lacking > 0)
    file.losses.push_back(format("{} configurations do not have all parameters: {}", lacking, written));
}

std::string text_of(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void write_entries(
    const Json& head, const FileFormat& file_format, const WrittenWorkload& workload,
    const std::function<std::string(const Evaluation&, const std::string& recorded)>& text_of_entry,
    const TextSink& out) {
  const bool named = file_format.named_entries;
  std::string begin = text_of(head, 1);
  begin.resize(begin.rfind('\n'));
  out(format("{},\n\"{}\": {}", begin, file_format.entries, named ? '{' : '['));
  std::string_view separator = "\n";
  workload.each([&](const Evaluation& evaluation, const std::string& recorded) {
    out(separator);
    out(text_of_entry(evaluation, recorded));
    separator = ",\n";
  });
  out(named ? "\n}\n}\n" : "\n]\n}\n");
}

std::vector<std::string> import_losses(const RecordedFile& file, const ThirdPartyRecord& record) {
  std::vector<std::string> lines;
  lines.push_back(format("{} has no driver, no compiler and no sources: stored as unknown", record.format));
  lines.push_back(format("{} has no errors of results: stored as 0", record.format));
  if (is_energy(record.objective))
    lines.push_back(
        format("its objective is {}: 'tune best --objective energy' ranks by it, all else by time",
               record.objective));
  else if (!record.objective.empty() && record.objective != "time")
    lines.push_back(
        format("its objective is {}: kept as a metric; results are ranked by their times", record.objective));
  if (record.device.empty())
    lines.push_back(format("it names no device: stored as unknown; name it with --device"));
  if (record.problem.empty())
    lines.push_back(format("it names no kernel: stored under the file's name; name it with --problem"));
  if (record.workload.empty()) lines.push_back("it has no size: stored without; name it with --size");
  if (file.first_date().empty()) lines.push_back("it has no times of day: stored without");
  if (file.has_samples()) lines.push_back("its times are means, those of tune medians of the same samples");
  return lines;
}

}  // namespace tune::replay
