// SPDX-License-Identifier: Apache-2.0
#include "cli/database/db_command_records.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>

#include "cli/input/recorded_spaces.hpp"

namespace tune::cli {
namespace {

constexpr const char* unknown = "unknown";

/// Characters that the text of a setting cannot hold become `_`.
std::string plain(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c == ',' || c == '=' || std::isspace(c) != 0; }, '_');
  return text;
}

/// `radius=1,type=float`; nothing for another text.
std::optional<Configuration> settings_in(const std::string& text) {
  try {
    return Configuration::parse(text);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// `512x512 radius=1,type=float` into size and settings.
void set_instance(const std::string& workload, const MissingProperties& properties, Instance& instance) {
  const std::size_t space = std::min(workload.find(' '), workload.size());
  const std::string size = properties.size.empty() ? workload.substr(0, space) : properties.size;
  const std::string rest = workload.substr(std::min(space + 1, workload.size()));
  instance.extents = extents_of(size);
  const auto settings = settings_in(rest);
  if (instance.extents.empty() && !size.empty() && !is_nonsense_size(size))
    instance.settings = {{"size", Value(plain(workload))}};
  else if (settings)
    instance.settings = settings->entries();
  else if (properties.size.empty())
    instance.settings = {{"settings", Value(plain(rest))}};
  for (const auto& [name, value] : properties.settings) {
    std::erase_if(instance.settings, [&](const auto& known) { return known.first == name; });
    instance.settings.emplace_back(name, value);
  }
}

}  // namespace

replay::ThirdPartyRecord record_of(const db::Recording& recording) {
  replay::ThirdPartyRecord record;
  record.problem = recording.instance.problem;
  record.workload = recording.instance.key();
  record.device = recording.device.name;
  std::vector<std::size_t> order(recording.evaluations.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return recording.recorded.at(i); });
  for (const std::size_t i : order) {
    record.evaluations.push_back(recording.evaluations[i]);
    record.recorded.push_back(recording.recorded[i]);
    for (const auto& [name, value] : recording.evaluations[i].configuration.entries())
      if (std::ranges::find(record.parameters, name) == record.parameters.end())
        record.parameters.push_back(name);
  }
  return record;
}

bool is_nonsense_size(const std::string& size) {
  return !size.empty() && size.find_first_not_of("0123456789x+-.") == std::string::npos &&
         std::ranges::count(size, 'x') < 4 && extents_of(size).empty();
}

db::ImportedRun imported_run(replay::ThirdPartyRecord record, const MissingProperties& properties,
                             const std::string& file_name) {
  const auto first_of = [](const std::string& a, const std::string& b, const std::string& c) {
    return !a.empty() ? a : !b.empty() ? b : c;
  };
  db::ImportedRun run;
  run.key.instance.problem = first_of(properties.problem, record.problem, file_name);
  set_instance(record.workload, properties, run.key.instance);
  run.key.device.name = first_of(properties.device, record.device, "unknown device");
  run.key.device.driver = unknown;
  run.key.toolchain = {record.format + ", compiler unknown", unknown};
  run.key.origin = Origin::imported;
  run.program = record.format;
  run.evaluations = std::move(record.evaluations);
  run.recorded = std::move(record.recorded);
  return run;
}

}  // namespace tune::cli
