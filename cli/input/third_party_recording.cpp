// SPDX-License-Identifier: Apache-2.0
#include "cli/input/third_party_recording.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "cli/input/options.hpp"
#include "cli/input/space_files.hpp"
#include "db/read/queries.hpp"
#include "db/store/database.hpp"
#include "kernels/registry.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

/// The definition that --fix and --where make of it.
search::SpaceDefinition restricted(const search::SpaceDefinition& whole, const SpaceChoice& choice) {
  search::SpaceDefinition definition = whole;
  try {
    for (const auto& [name, value] : choice.pinned)
      definition = search::pin(std::move(definition), name, value);
  } catch (const std::invalid_argument& error) {
    throw UsageError(format("--fix: {}", error.what()));
  }
  try {
    if (!choice.where.empty())
      definition = search::restrict_to(std::move(definition), search::Expr::parse(choice.where));
  } catch (const search::ExprError& error) {
    throw UsageError(format("--where: {}", error.what()));
  }
  return definition;
}

/// Every parameter of a foreign record exists in every configuration.
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

/// The same for the same recorded times, wherever the file lies.
std::string content_of(const replay::RecordedSpace& recorded) {
  std::string text;
  for (const Evaluation& evaluation : recorded.evaluations)
    text += evaluation.configuration.key() +
            (evaluation.outcome ? format(" {}\n", evaluation.outcome->time()) : std::string(" failed\n"));
  return content_hash(text);
}

}  // namespace

std::vector<std::pair<std::string, std::int64_t>> extents_of(const std::string& workload) {
  constexpr std::string_view names = "xyzw";
  constexpr double max = 0x1.0p53;  // elements: beyond it a size is a mistake
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

bool is_known(const std::string& problem) {
  return std::ranges::find(kernels::problems(), problem, &kernels::ProblemEntry::name) !=
         kernels::problems().end();
}

/// Of a database the one recording that another program made or that is of a problem that this program does
/// not know.
replay::RecordedSpace recording_of(const std::string& file, const ThirdPartyChoice& choice) {
  std::vector<replay::RecordedSpace> spaces = read_spaces(file);
  if (!db::is_database(file)) return std::move(spaces.front());
  std::erase_if(spaces, [&](const replay::RecordedSpace& space) {
    const std::string size = space.workload.substr(0, space.workload.find(' '));
    return (is_known(space.problem) && !space.imported) ||
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

/// Whether the database answers as another tuner's file would. A problem of this program is answered by what
/// it measured itself, where there is some of that size.
bool answers_as_third_party(const std::string& file, const std::string& problem, const std::string& size) {
  bool third_party = false;
  for (const db::RunSummary& run : db::list_runs(db::Database(file, db::OpenMode::read_only))) {
    const db::Workload& workload = run.workload;
    if (!problem.empty() && workload.problem != problem) continue;
    const bool own = is_known(workload.problem) && workload.origin != Origin::imported;
    if (!own && workload.origin != Origin::replayed) third_party = true;
    if (own && workload.origin == Origin::measured && !problem.empty() &&
        (size.empty() || workload.size == size))
      return false;
  }
  return third_party;
}

}  // namespace

std::string third_party_file(const po::variables_map& values) {
  constexpr std::string_view replay = "replay:";
  const std::string device = option_text(values, "device");
  if (!device.starts_with(replay) || device == replay) return {};
  const std::string file = device.substr(replay.size());
  const std::string problem = option_text(values, "problem");
  if (db::is_database(file)) {
    if (values.count("stencil") || !answers_as_third_party(file, problem, option_text(values, "size")))
      return {};
    return file;
  }
  if (problem.empty()) return file;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored))
    throw UsageError(format(
        "--problem: {} is no database of tune; a file of another tuner says itself what it is of: leave "
        "--problem, --size and --set out",
        file));
  return {};
}

replay::RecordedSpace open_third_party(const std::string& file, const ThirdPartyChoice& choice,
                                       const SpaceChoice& restriction) {
  replay::RecordedSpace recorded = recording_of(file, choice);
  if (restriction.pinned.empty() && restriction.where.empty()) return recorded;
  search::SpaceDefinition definition = restricted(recorded.space.definition(), restriction);
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
  key.toolchain = {"recorded by another tuner", content_of(recorded)};
  key.origin = Origin::replayed;
  return key;
}

}  // namespace tune::cli
