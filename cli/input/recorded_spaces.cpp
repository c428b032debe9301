// SPDX-License-Identifier: Apache-2.0
#include "cli/input/recorded_spaces.hpp"

#include <algorithm>
#include <charconv>

#include "cli/input/stored.hpp"
#include "db/read/queries.hpp"
#include "db/store/database.hpp"
#include "kernels/registry.hpp"
#include "library/run/recorded_spaces.hpp"
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

std::vector<replay::RecordedSpace> read_spaces(const std::string& file, const std::string& only) {
  return run::read_spaces(file, only, say);
}

std::vector<replay::RecordedSpace> read_spaces(const std::vector<std::string>& files,
                                               const std::string& only) {
  return run::read_spaces(files, only, say);
}

}  // namespace tune::cli
