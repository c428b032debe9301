// SPDX-License-Identifier: Apache-2.0
#include "db/formats/write.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tuner/base/format.hpp"

namespace tune::replay {
std::string_view name_of(const Failure& failure, const FailureNames& names) {
  return names.at(static_cast<std::size_t>(failure.phase)).word;
}

void tell_failures(ThirdPartyRecord& record, const FailureNames& names) {
  std::map<Phase, int> counts;
  for (const Evaluation& evaluation : record.evaluations)
    if (!evaluation.outcome) ++counts[evaluation.outcome.error().phase];
  for (const auto& [phase, count] : counts) {
    const FailureWord& word = names.at(static_cast<std::size_t>(phase));
    if (word.read_as != phase)
      record.losses.push_back(
          format("{} failures of phase {} are written as {}", count, to_string(phase), word.word));
  }
  if (!counts.empty()) record.losses.push_back("reasons and details of failures have no field: left out");
}

std::string size_without_settings(ThirdPartyRecord& record, std::string_view format_name) {
  const std::size_t space = record.workload.find(' ');
  if (space == std::string::npos) return record.workload;
  record.losses.push_back(
      format("{} has no settings ({}): left out", format_name, record.workload.substr(space + 1)));
  return record.workload.substr(0, space);
}

void tell_absent(ThirdPartyRecord& record, std::string_view written) {
  const auto lacking = std::ranges::count_if(record.evaluations, [&](const Evaluation& evaluation) {
    return evaluation.configuration.entries().size() < record.parameters.size();
  });
  if (lacking > 0)
    record.losses.push_back(format("{} configurations do not have all parameters: {}", lacking, written));
}

std::vector<std::string> import_losses(const RecordedFile& file, const ThirdPartyRecord& record) {
  std::vector<std::string> lines = record.losses;
  lines.push_back(format("{} has no driver, no compiler and no sources: stored as unknown", record.format));
  lines.push_back(format("{} has no errors of results: stored as 0", record.format));
  if (record.device.empty())
    lines.push_back(format("it names no device: stored as unknown; name it with --device"));
  if (record.problem.empty())
    lines.push_back(format("it names no kernel: stored under the file's name; name it with --problem"));
  if (record.workload.empty()) lines.push_back("it has no size: stored without; name it with --size");
  if (file.first_date().empty()) lines.push_back("it has no times of day: stored without");
  if (file.has_samples()) lines.push_back("its times are means, ours the medians of the same samples");
  return lines;
}

}  // namespace tune::replay
