// SPDX-License-Identifier: Apache-2.0
#include "cli/input/space_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "db/formats/recorded_json.hpp"
#include "db/formats/text_file.hpp"
#include "db/read/recording.hpp"
#include "db/store/database.hpp"
#include "kernels/registry.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

/// The problem's space for the recorded instance; nothing where this program does not know it.
std::optional<search::SearchSpace> known_space(const db::Recording& recording) {
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    if (entry.name != recording.instance.problem) continue;
    const auto problem = entry.make();
    try {
      const Instance instance =
          make_instance(problem->info(), recording.instance.size(), recording.instance.settings);
      return search::SearchSpace(problem->space(instance, recording.device));
    } catch (const UsageError&) {
      return std::nullopt;  // of a version that knew other settings
    }
  }
  return std::nullopt;
}

/// Without a definition: what the configurations themselves say.
replay::RecordedSpace unknown_problem(replay::RecordedSpace recorded, const std::string& file) {
  replay::ThirdPartyRecord record{recorded.name, recorded.problem, recorded.workload, recorded.device};
  for (const Evaluation& evaluation : recorded.evaluations)
    for (const auto& [name, value] : evaluation.configuration.entries())
      if (std::ranges::find(record.parameters, name) == record.parameters.end())
        record.parameters.push_back(name);
  record.evaluations = std::move(recorded.evaluations);
  record.notes.push_back(recorded.imported
                             ? "another program's parameters: defaults and roles are guessed"
                             : "this program does not know the problem: defaults and roles are guessed");
  replay::RecordedSpace space = replay::space_of(std::move(record), file);
  space.imported = recorded.imported;
  return space;
}

/// What it is called is known before its space is made, which takes most of the time.
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
  // Another program's kernel of the same name has another space.
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
  std::filesystem::path name = std::filesystem::path(file).filename();
  for (const char* ending : {".gz", ".json", ".kt", ".t4", ".ktt"})
    if (name.extension() == ending && name.has_stem()) name = name.stem();
  return name.string();
}

std::vector<replay::RecordedSpace> read_spaces(const std::string& file, const std::string& only) {
  std::vector<replay::RecordedSpace> spaces;
  if (db::is_database(file)) {
    const db::Database database(file, db::OpenMode::read_only);
    std::vector<db::Recording> recordings = db::all_recordings(database);
    for (db::Recording& recording : recordings)
      if (auto space = to_space(std::move(recording), file, only)) spaces.push_back(std::move(*space));
    if (recordings.empty()) throw Error(format("{}: nothing was measured there: tune first", file));
    return spaces;
  }
  const std::string text = replay::read_text(file);
  if (db::begins_as_database(text))
    throw Error(format("{}: a compressed database: unpack it first (gunzip)", file));
  if (name_of_recording(file).find(only) == std::string::npos) return spaces;
  spaces.push_back(replay::space_of(replay::read_recorded_json(text, name_of_recording(file), file), file));
  return spaces;
}

std::vector<replay::RecordedSpace> read_spaces(const std::vector<std::string>& files,
                                               const std::string& only) {
  std::vector<replay::RecordedSpace> all;
  std::map<std::string, int> times;
  for (const std::string& file : files)
    for (replay::RecordedSpace& space : read_spaces(file, only)) {
      const int number = ++times[space.name];
      if (number > 1) space.name += format(" ({})", number);
      all.push_back(std::move(space));
    }
  return all;
}

}  // namespace tune::cli
