// SPDX-License-Identifier: Apache-2.0
#include "cli/input/matched_recording.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "cli/input/recorded_spaces.hpp"
#include "cli/output/printable_output.hpp"
#include "db/formats/file_format.hpp"
#include "db/formats/text_file.hpp"
#include "db/store/database.hpp"
#include "library/run/recorded_spaces.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

using Extents = std::vector<std::pair<std::string, std::int64_t>>;

/// Gives the selection the size of a file, or compares both where the user names one.
void take_size(const std::string& file, const Extents& recorded, const ProblemOptions& options,
               ProblemSelection& selection) {
  const Instance& instance = selection.instance;
  if (recorded.size() != instance.extents.size()) return;  // other tuners count blocks or threads, too
  const auto value = [](const auto& extent) { return extent.second; };
  if (std::ranges::equal(recorded, instance.extents, {}, value, value)) return;
  const std::string size = joined(
      recorded, [](const auto& one) { return format("{}", one.second); }, "x");
  if (!options.size.empty())
    throw UsageError(format("--size: {} was recorded at {}: leave --size out", file, size));
  selection.instance = make_instance(selection.problem->info(), size, instance.settings);
}

/// The values of each parameter of a recording, in the order in which they come.
using RecordedValues = std::vector<std::pair<std::string, std::vector<search::Value>>>;

RecordedValues values_of(const db::Recording& recording) {
  RecordedValues all;
  for (const Evaluation& evaluation : recording.evaluations)
    for (const auto& [name, value] : evaluation.configuration.entries()) {
      auto known = std::ranges::find(all, name, &RecordedValues::value_type::first);
      if (known == all.end()) known = all.insert(all.end(), {name, {}});
      if (std::ranges::find(known->second, value) == known->second.end()) known->second.push_back(value);
    }
  return all;
}

std::string few(const std::vector<search::Value>& values) {
  constexpr std::size_t shown = 6;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(values.size(), shown); ++i) texts.push_back(values[i].to_string());
  if (values.size() > shown) texts.emplace_back("...");
  return joined(texts);
}

/// Throws UsageError where a parameter with several values is only on one side. What has one value decides
/// nothing.
void check_names(const RecordedValues& recorded, const search::SpaceDefinition& definition,
                 const std::string& problem) {
  std::vector<std::string> theirs, ours;
  for (const auto& [name, values] : recorded)
    if (values.size() > 1 && std::ranges::count(definition.parameters, name, &search::Parameter::name) == 0)
      theirs.push_back(format("{} ({})", name, few(values)));
  for (const search::Parameter& parameter : definition.parameters)
    if (parameter.values.size() > 1 && !parameter.exists_if &&
        std::ranges::count(recorded, parameter.name, &RecordedValues::value_type::first) == 0)
      ours.push_back(format("{} ({})", parameter.name, few(parameter.values)));
  if (theirs.empty() && ours.empty()) return;
  std::vector<std::string> sides;
  if (!theirs.empty()) sides.push_back("only the recording has " + joined(theirs));
  if (!ours.empty()) sides.push_back(format("only {} has {}", problem, joined(ours)));
  std::string cure;
  if (!theirs.empty() && !ours.empty())
    cure = "give the definition's parameters the names of the recording";
  else if (!theirs.empty())
    cure = "add them to the definition";
  else
    cure = "choose a value for them with --fix NAME=VALUE";
  throw UsageError(format("the parameters differ: {}: {}", joined(sides, {}, ", and "), cure));
}

/// The configuration in the names and values of the definition; nothing where it has another value.
std::optional<Configuration> in_words_of(const search::SpaceDefinition& definition,
                                         const Configuration& recorded) {
  Configuration configuration;
  for (const search::Parameter& parameter : definition.parameters) {
    const search::Value* const value = recorded.find(parameter.name);
    if (value == nullptr) {
      if (parameter.values.size() == 1 && !parameter.exists_if)
        configuration.set(parameter.name, parameter.values.front());
      continue;
    }
    const search::Value* const meant = search::meant_value(parameter, *value);
    if (meant == nullptr) return std::nullopt;
    configuration.set(parameter.name, *meant);
  }
  return configuration;
}

/// Of a device of another program only the name is known: these limits, the widest, refuse nothing that
/// ran there.
DeviceProperties any_limits(const DeviceProperties& device) {
  DeviceProperties limits = architecture_properties("sm_90");
  limits.name = device.name;
  return limits;
}

std::string notice_of(const db::Recording& recording, const Instance& instance, std::size_t count,
                      std::size_t all) {
  const auto name = [](const auto& extent) { return extent.first; };
  const std::string theirs = joined(recording.extents, name), ours = joined(instance.extents, name);
  std::string same;
  if (!recording.instance.problem.empty() && recording.instance.problem != instance.problem)
    same = format(" (its kernel {} taken as {})", recording.instance.problem, instance.problem);
  else if (recording.extents.size() != instance.extents.size())
    same = " (it does not say at which size)";
  else if (theirs != ours)
    same = format(" (its extents {} taken as {})", theirs, ours);
  return format(
      "replaying what {} measured of {} {} on {}{}: {} of {} configurations are of this problem; "
      "nothing was checked",
      recording.toolchain.compiler.substr(0, recording.toolchain.compiler.find(',')), instance.problem,
      instance.size(), recording.device.name, same, count, all);
}

[[noreturn]] void nothing_left(const RecordedValues& recorded, const search::SpaceDefinition& definition,
                               const std::string& problem) {
  for (const search::Parameter& parameter : definition.parameters) {
    const auto known = std::ranges::find(recorded, parameter.name, &RecordedValues::value_type::first);
    if (known == recorded.end() || std::ranges::any_of(known->second, [&](const search::Value& value) {
          return search::meant_value(parameter, value) != nullptr;
        }))
      continue;
    throw UsageError(format("{} is {} in the recording, and {} in {}: give it a value that was recorded",
                            parameter.name, few(known->second), few(parameter.values), problem));
  }
  throw UsageError(format(
      "no recorded configuration satisfies the constraints of {}, --where and --fix: change one of them",
      problem));
}

}  // namespace

std::optional<db::Recording> recording_in_file(const std::string& device, const ProblemOptions& options,
                                               ProblemSelection& selection) {
  constexpr std::string_view replay = "replay:";
  std::error_code ignored;
  const std::string file = device.starts_with(replay) ? device.substr(replay.size()) : std::string();
  if (!std::filesystem::is_regular_file(file, ignored) || db::is_database(file)) return std::nullopt;
  replay::TextFile text(file);
  replay::ThirdPartyRecord record = replay::read_recorded_json(text, run::name_of_recording(file), file);
  for (const std::string& note : record.notes) say(format("{}: {}", file, note));
  if (record.evaluations.empty()) throw Error(format("{}: it has no recorded configuration", file));
  const std::string size = record.workload.substr(0, record.workload.find(' '));
  db::Recording recording;
  recording.extents = extents_of(size);
  take_size(file, recording.extents, options, selection);
  recording.instance = selection.instance;
  recording.instance.problem = record.problem;
  recording.device.name = record.device.empty() ? "unknown device" : record.device;
  recording.device.driver = "unknown";
  recording.toolchain = {record.format + ", compiler unknown", content_of(record.evaluations)};
  recording.origin = Origin::imported;
  std::map<std::string, std::size_t> places;  // the last result of a configuration counts
  for (Evaluation& evaluation : record.evaluations) {
    const auto [place, is_new] =
        places.try_emplace(evaluation.configuration.key(), recording.evaluations.size());
    if (is_new)
      recording.evaluations.push_back(std::move(evaluation));
    else
      recording.evaluations[place->second] = std::move(evaluation);
  }
  return recording;
}

MatchedRecording matched_recording(const ProblemSelection& selection, db::Recording recording,
                                   const SpaceChoice& choice) {
  const bool imported = recording.origin == Origin::imported;
  const std::string& problem = selection.problem->info().name;
  const search::SearchSpace whole_space =
      build_space(selection, imported ? any_limits(recording.device) : recording.device, choice);
  const search::SpaceDefinition& definition = whole_space.definition();
  RecordedValues values;
  const std::size_t all = recording.evaluations.size();
  if (imported) {
    values = values_of(recording);
    check_names(values, definition, problem);
  }
  std::vector<Configuration> configurations;
  std::vector<Evaluation> kept;
  for (Evaluation& evaluation : recording.evaluations) {
    const auto ours = imported ? in_words_of(definition, evaluation.configuration)
                               : std::optional(evaluation.configuration);
    if (!ours || !whole_space.allows(*ours)) continue;
    evaluation.configuration = *ours;
    configurations.push_back(*ours);
    kept.push_back(std::move(evaluation));
  }
  recording.evaluations = std::move(kept);
  if (configurations.empty() && imported) nothing_left(values, definition, problem);
  if (configurations.empty())
    throw UsageError(
        "the recording has no configuration that --where and --fix leave: change them, or measure on a GPU with "
        "--device cuda:0");
  MatchedRecording matched{std::move(recording), search::SearchSpace::of(definition, configurations)};
  if (imported) matched.notice = notice_of(matched.recording, selection.instance, configurations.size(), all);
  return matched;
}

}  // namespace tune::cli
