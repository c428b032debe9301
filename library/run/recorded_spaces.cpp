// SPDX-License-Identifier: Apache-2.0
#include "library/run/recorded_spaces.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "db/formats/file_format.hpp"
#include "db/formats/text_file.hpp"
#include "db/read/recording.hpp"
#include "db/store/database.hpp"
#include "kernels/registry.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::run {
namespace {

/// The problem's space for the recorded instance; nothing where this program does not have the problem.
std::optional<search::SearchSpace> known_space(const db::Recording& recording) {
  const kernels::ProblemEntry* const entry = kernels::find_problem(recording.instance.problem);
  if (entry == nullptr) return std::nullopt;
  const auto problem = entry->make();
  try {
    const Instance instance =
        make_instance(problem->info(), recording.instance.size(), recording.instance.settings);
    return search::SearchSpace(problem->space(instance, recording.device));
  } catch (const UsageError&) {
    return std::nullopt;  // recorded by a version with other settings
  }
}

/// A space without a definition: parameters and values follow from the configurations.
replay::RecordedSpace unknown_problem(replay::RecordedSpace recorded, const std::string& file) {
  replay::ThirdPartyRecord record{recorded.name, recorded.problem, recorded.workload, recorded.device};
  for (const Evaluation& evaluation : recorded.evaluations)
    for (const auto& [name, value] : evaluation.configuration.entries())
      if (std::ranges::find(record.parameters, name) == record.parameters.end())
        record.parameters.push_back(name);
  record.evaluations = std::move(recorded.evaluations);
  record.notes.push_back(recorded.imported
                             ? "another program's parameters: defaults and roles are guessed"
                             : "this program does not have the problem: defaults and roles are guessed");
  replay::RecordedSpace space = replay::space_of(std::move(record), file);
  space.imported = recorded.imported;
  return space;
}

/// Nothing where the name does not contain `only`. The name is made first: making the space takes most of the
/// time.
std::optional<replay::RecordedSpace> to_space(db::Recording recording, const std::string& file,
                                              const std::string& only) {
  const bool warm = recording.cache == CacheState::warm;
  replay::RecordedSpace recorded{.name = {},
                                 .problem = recording.instance.problem,
                                 .workload = recording.instance.key() + (warm ? " with warm caches" : ""),
                                 .device = recording.device.name,
                                 .space = search::SearchSpace(search::SpaceDefinition{}),
                                 .evaluations = {},
                                 .notes = {},
                                 .imported = recording.origin == Origin::imported};
  recorded.name = title_of(recorded);
  if (recorded.name.find(only) == std::string::npos) return std::nullopt;
  // Another program's kernel of the same name may have another space.
  const auto whole_space = recording.origin == Origin::imported ? std::nullopt : known_space(recording);
  if (!whole_space) {
    recorded.evaluations = std::move(recording.evaluations);
    return unknown_problem(std::move(recorded), file);
  }
  std::vector<Configuration> configurations;
  for (Evaluation& evaluation : recording.evaluations) {
    if (!whole_space->find(evaluation.configuration)) continue;
    configurations.push_back(evaluation.configuration);
    recorded.evaluations.push_back(std::move(evaluation));
  }
  const std::size_t strange = recording.evaluations.size() - configurations.size();
  if (configurations.empty())
    throw Error(format("{}: none of the configurations of {} is valid in this version: record it again", file,
                       recorded.name));
  if (strange > 0)
    recorded.notes.push_back(format("{} configurations are not valid in this version: left out", strange));
  recorded.space = search::SearchSpace::of(whole_space->definition(), configurations);
  return recorded;
}

}  // namespace

std::string name_of_recording(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  const auto cut = [&name](std::string_view ending) {
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  };
  cut(".gz");
  for (const replay::FileFormat& one : replay::file_formats()) cut(one.ending);
  cut(".json");
  return name;
}

std::vector<replay::RecordedSpace> read_spaces(const std::string& file, const std::string& only,
                                               const std::function<void(const std::string&)>& tell) {
  std::vector<replay::RecordedSpace> spaces;
  if (db::is_database(file)) {
    const db::Database database(file, db::OpenMode::read_only);
    std::vector<db::Recording> recordings = db::all_recordings(database);
    if (const std::string line = database.left_out(); tell && !line.empty()) tell(line);
    for (db::Recording& recording : recordings)
      if (auto space = to_space(std::move(recording), file, only)) spaces.push_back(std::move(*space));
    if (recordings.empty()) throw Error(format("{} has no measurements: tune first", file));
    return spaces;
  }
  if (db::begins_as_database(replay::TextFile(file).next()))
    throw Error(format("{} is a compressed database: unpack it first (gunzip)", file));
  if (name_of_recording(file).find(only) == std::string::npos) return spaces;
  replay::TextFile text(file);
  spaces.push_back(replay::space_of(replay::read_recorded_json(text, name_of_recording(file), file), file));
  return spaces;
}

std::vector<replay::RecordedSpace> read_spaces(const std::vector<std::string>& files, const std::string& only,
                                               const std::function<void(const std::string&)>& tell) {
  std::vector<replay::RecordedSpace> all;
  std::map<std::string, int> times;
  for (const std::string& file : files)
    for (replay::RecordedSpace& space : read_spaces(file, only, tell)) {
      const int number = ++times[space.name];
      if (number > 1) space.name += format(" ({})", number);
      all.push_back(std::move(space));
    }
  return all;
}

}  // namespace tune::run
