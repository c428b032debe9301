// SPDX-License-Identifier: Apache-2.0
#include "tuner/cli/db_command_records.hpp"

#include <algorithm>
#include <numeric>

#include "tuner/cli/foreign_recording.hpp"

namespace tune::cli {
namespace {

constexpr const char* unknown = "unknown";

/// Characters that the text of a setting cannot hold become `_`.
std::string plain(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c == ',' || c == '=' || std::isspace(c) != 0; }, '_');
  return text;
}

/// `512x512 radius=1,type=float` into size and settings.
void set_instance(const std::string& work, Instance& instance) {
  const std::size_t space = work.find(' ');
  instance.extents = extents_of(work.substr(0, space));
  if (instance.extents.empty() && !work.empty()) {
    instance.settings = {{"size", Value(plain(work))}};
    return;
  }
  if (space == std::string::npos) return;
  try {
    instance.settings = Configuration::parse(work.substr(space + 1)).entries();
  } catch (const std::invalid_argument&) {
    instance.settings = {{"settings", Value(plain(work.substr(space + 1)))}};
  }
}

}  // namespace

replay::ForeignRecord record_of(const db::Recording& recording) {
  replay::ForeignRecord record;
  record.problem = recording.instance.problem;
  record.work = recording.instance.key();
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

db::ImportedRun imported_run(replay::ForeignRecord record, const MissingFacts& facts,
                             const std::string& file_name) {
  const auto first_of = [](const std::string& a, const std::string& b, const std::string& c) {
    return !a.empty() ? a : !b.empty() ? b : c;
  };
  db::ImportedRun run;
  run.key.instance.problem = first_of(facts.problem, record.problem, file_name);
  set_instance(first_of(facts.size, record.work, ""), run.key.instance);
  run.key.device.name = first_of(facts.device, record.device, "unknown device");
  run.key.device.driver = unknown;
  run.key.toolchain = {record.format + ", compiler unknown", unknown};
  run.key.origin = Origin::imported;
  run.program = record.format;
  run.evaluations = std::move(record.evaluations);
  run.recorded = std::move(record.recorded);
  return run;
}

}  // namespace tune::cli
