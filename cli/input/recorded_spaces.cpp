// SPDX-License-Identifier: Apache-2.0
#include "cli/input/recorded_spaces.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>

#include "cli/input/stored.hpp"
#include "db/formats/file_format.hpp"
#include "db/formats/text_file.hpp"
#include "db/read/queries.hpp"
#include "db/read/recording.hpp"
#include "db/store/database.hpp"
#include "kernels/registry.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

/// True when the configuration satisfies the definition. Every parameter of a third-party record exists in
/// every configuration.
bool is_left(const Configuration& configuration, const search::SpaceDefinition& definition) {
  for (const search::Parameter& parameter : definition.parameters)
    if (std::ranges::find(parameter.values, configuration[parameter.name]) == parameter.values.end())
      return false;
  const auto lookup = [&](std::string_view name) { return configuration.find(name); };
  try {
    return std::ranges::all_of(definition.constraints, [&](const search::Constraint& constraint) {
      return constraint.rule.evaluate(lookup).as_bool();
    });
  } catch (const search::ExprError& error) {
    throw UsageError(format("--where: {}", error.what()));
  }
}

}  // namespace

std::string content_of(const std::vector<Evaluation>& evaluations) {
  std::string text;
  for (const Evaluation& evaluation : evaluations)
    text += evaluation.configuration.key() +
            (evaluation.outcome ? format(" {}\n", evaluation.outcome->time()) : std::string(" failed\n"));
  return content_hash(text);
}

std::vector<std::pair<std::string, std::int64_t>> extents_of(const std::string& workload) {
  constexpr std::string_view names = "xyzw";
  constexpr double max = 0x1.0p53;  // elements: a larger size is a mistake
  std::vector<std::pair<std::string, std::int64_t>> extents;
  if (workload.ends_with('x')) return {};
  double elements = 1;
  const char* at = workload.data();
  const char* const end = at + workload.size();
  while (at != end) {
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(at, end, extent);
    if (error != std::errc{} || extents.size() == names.size() || extent < 1) return {};
    elements *= static_cast<double>(extent);
    if (elements > max) return {};
    extents.emplace_back(names.substr(extents.size(), 1), extent);
    if (stop != end && *stop != 'x') return {};
    at = stop == end ? end : stop + 1;
  }
  return extents;
}

namespace {

/// The recording of a file. Of a database, the only one that another program made or whose problem this
/// program does not have.
replay::RecordedSpace recording_of(const std::string& file, const ProblemOptions& choice) {
  std::vector<replay::RecordedSpace> spaces = read_spaces(file);
  if (!db::is_database(file)) return std::move(spaces.front());
  std::erase_if(spaces, [&](const replay::RecordedSpace& space) {
    const std::string size = space.workload.substr(0, space.workload.find(' '));
    return (kernels::find_problem(space.problem) != nullptr && !space.imported) ||
           (!choice.problem.empty() && space.problem != choice.problem) ||
           (!choice.size.empty() && size != choice.size);
  });
  if (spaces.size() == 1) return std::move(spaces.front());
  if (spaces.empty())
    throw UsageError(format("--size: {} has no {} of that size", file,
                            choice.problem.empty() ? "recording" : choice.problem));
  throw UsageError(
      format("{} has several recordings ({}; {}{}): choose one with --problem and --size, or write "
             "it to a file with 'tune db export' (--set, --device)",
             file, title_of(spaces[0]), title_of(spaces[1]), spaces.size() > 2 ? "; ..." : ""));
}

/// True when a replay treats the database like another tuner's file. It does not where this program measured
/// its own problem at that size.
bool answers_as_third_party(const std::string& file, const std::string& problem, const std::string& size) {
  bool third_party = false;
  for (const db::RunSummary& run : db::list_runs(db::Database(file, db::OpenMode::read_only))) {
    const db::Workload& workload = run.workload;
    if (!problem.empty() && workload.problem != problem) continue;
    const bool own =
        kernels::find_problem(workload.problem) != nullptr && workload.origin != Origin::imported;
    if (!own && workload.origin != Origin::replayed) third_party = true;
    if (own && workload.origin == Origin::measured && !problem.empty() &&
        (size.empty() || workload.size == size))
      return false;
  }
  return third_party;
}

}  // namespace

std::string third_party_file(const std::string& device, const ProblemOptions& options) {
  constexpr std::string_view replay = "replay:";
  if (!device.starts_with(replay) || device == replay) return {};
  const std::string file = device.substr(replay.size());
  if (db::is_database(file)) {
    return options.stencil.empty() && answers_as_third_party(file, options.problem, options.size)
               ? file
               : std::string();
  }
  return options.problem.empty() && options.stencil.empty() ? file : std::string();
}

replay::RecordedSpace open_third_party(const std::string& file, const ProblemOptions& choice,
                                       const SpaceChoice& restriction) {
  replay::RecordedSpace recorded = recording_of(file, choice);
  if (restriction.pinned.empty() && restriction.where.empty()) return recorded;
  search::SpaceDefinition definition = restriction.applied_to(recorded.space.definition());
  std::vector<Configuration> left;
  for (const Evaluation& evaluation : recorded.evaluations)
    if (is_left(evaluation.configuration, definition)) left.push_back(evaluation.configuration);
  if (left.empty()) throw UsageError(format("--where and --fix leave no configuration of {}", file));
  recorded.space = search::SearchSpace::of(std::move(definition), left);
  return recorded;
}

WorkloadKey third_party_key(const replay::RecordedSpace& recorded) {
  WorkloadKey key;
  key.instance.problem = recorded.problem.empty() ? recorded.name : recorded.problem;
  key.instance.extents = extents_of(recorded.workload.substr(0, recorded.workload.find(' ')));
  key.device.name = recorded.device.empty() ? "unknown device" : recorded.device;
  key.toolchain = {"recorded by another tuner", content_of(recorded.evaluations)};
  key.origin = Origin::replayed;
  return key;
}

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

std::vector<replay::RecordedSpace> read_spaces(const std::string& file, const std::string& only) {
  std::vector<replay::RecordedSpace> spaces;
  if (db::is_database(file)) {
    const db::Database database(file, db::OpenMode::read_only);
    const LeftOutRows left_out(database);
    std::vector<db::Recording> recordings = db::all_recordings(database);
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
