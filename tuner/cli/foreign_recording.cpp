// SPDX-License-Identifier: Apache-2.0
#include "tuner/cli/foreign_recording.hpp"

#include <algorithm>
#include <charconv>

#include "search/space/restrict.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/space_files.hpp"
#include "tuner/core/content_hash.hpp"
#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"

namespace tune::cli {
namespace {

/// `4096x512` as extents; empty where it is something else.
std::vector<std::pair<std::string, std::int64_t>> extents_of(const std::string& work) {
  constexpr std::string_view names = "xyzw";
  std::vector<std::pair<std::string, std::int64_t>> extents;
  const char* at = work.data();
  const char* const end = at + work.size();
  while (at != end) {
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(at, end, extent);
    if (error != std::errc{} || extents.size() == names.size()) return {};
    extents.emplace_back(names.substr(extents.size(), 1), extent);
    if (stop != end && *stop != 'x') return {};
    at = stop == end ? end : stop + 1;
  }
  return extents;
}

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

std::string foreign_file(const po::variables_map& values) {
  constexpr std::string_view replay = "replay:";
  const std::string device = text_of(values, "device");
  if (values.count("problem") || !device.starts_with(replay) || device == replay) return {};
  const std::string file = device.substr(replay.size());
  return is_database(file) ? std::string() : file;
}

replay::RecordedSpace open_foreign(const std::string& file, const SpaceChoice& restriction) {
  replay::RecordedSpace recorded = std::move(read_spaces(file).front());
  if (restriction.pinned.empty() && restriction.where.empty()) return recorded;
  search::SpaceDefinition definition = restricted(recorded.space.definition(), restriction);
  std::vector<Configuration> left;
  for (const Evaluation& evaluation : recorded.evaluations)
    if (is_left(evaluation.configuration, definition)) left.push_back(evaluation.configuration);
  if (left.empty()) throw UsageError(format("--where and --fix leave no configuration of {}", file));
  recorded.space = search::SearchSpace::of(std::move(definition), left);
  return recorded;
}

WorkKey foreign_key(const replay::RecordedSpace& recorded) {
  WorkKey key;
  key.instance.problem = recorded.problem.empty() ? recorded.name : recorded.problem;
  key.instance.extents = extents_of(recorded.work);
  key.device.name = recorded.device.empty() ? "unknown device" : recorded.device;
  key.toolchain = {"recorded by another tuner", content_of(recorded)};
  key.origin = Origin::replayed;
  return key;
}

}  // namespace tune::cli
