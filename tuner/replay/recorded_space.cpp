// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/recorded_space.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::replay {
namespace {

/// Sorts numbers in increasing order, other values in the declared order with undeclared ones at the end.
void put_in_order(std::vector<Value>& values, const std::vector<Value>& declared) {
  if (std::ranges::all_of(values, &Value::is_number)) {
    std::ranges::stable_sort(values, {}, &Value::as_real);
    return;
  }
  std::ranges::stable_sort(
      values, {}, [&](const Value& value) { return std::ranges::find(declared, value) - declared.begin(); });
}

/// Gives parameters that do not exist for a configuration the value `none` there.
void fill_absent(ThirdPartyRecord& record) {
  std::size_t filled = 0;
  for (Evaluation& evaluation : record.evaluations) {
    if (evaluation.configuration.entries().size() == record.parameters.size()) continue;
    ++filled;
    for (const std::string& name : record.parameters)
      if (!evaluation.configuration.has(name)) evaluation.configuration.set(name, Value("none"));
  }
  if (filled > 0)
    record.notes.push_back(format("{} configurations lack parameters, which count as 'none'", filled));
}

std::vector<search::Parameter> parameters_of(const ThirdPartyRecord& record) {
  std::vector<search::Parameter> parameters;
  for (std::size_t p = 0; p < record.parameters.size(); ++p) {
    const std::string& name = record.parameters[p];
    search::Parameter parameter{.name = name,
                                .documentation = format("{} of {}", name, record.name),
                                .values = {},
                                .default_value = {},
                                .role = guess_role(name)};
    for (const Evaluation& evaluation : record.evaluations) {
      const Value& value = *evaluation.configuration.find(name);
      if (std::ranges::find(parameter.values, value) == parameter.values.end())
        parameter.values.push_back(value);
    }
    put_in_order(parameter.values, p < record.declared.size() ? record.declared[p] : std::vector<Value>{});
    parameter.default_value = parameter.values[(parameter.values.size() - 1) / 2];
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

/// Keeps the last evaluation of a configuration that was recorded several times.
void keep_last(ThirdPartyRecord& record) {
  std::unordered_map<std::string, std::size_t> place;
  std::vector<Evaluation> kept;
  for (Evaluation& evaluation : record.evaluations) {
    const auto [at, is_new] = place.emplace(evaluation.configuration.key(), kept.size());
    if (is_new)
      kept.push_back(std::move(evaluation));
    else
      kept[at->second] = std::move(evaluation);
  }
  const std::size_t repeated = record.evaluations.size() - kept.size();
  if (repeated > 0)
    record.notes.push_back(format("{} configurations occur again: the last of each counts", repeated));
  record.evaluations = std::move(kept);
}

/// Names of Kernel Tuner, OpenCL, CLBlast (MDIMC, NDIMC: the work group; WPT*: work per thread) and the usual
/// benchmark collections.
constexpr std::string_view thread_names[] = {"block_size",  "block_size_x", "block_size_y", "block_size_z",
                                             "block_x",     "block_y",      "block_z",      "block_dim*",
                                             "blockdim*",   "threads*",     "num_threads*", "local_size*",
                                             "work_group*", "workgroup*",   "mdimc",        "ndimc"};
constexpr std::string_view work_names[] = {
    "tile_size_x",      "tile_size_y",       "tile_size_z",         "wpt*",
    "work_per_thread*", "items_per_thread*", "elements_per_thread*"};

bool matches(std::string_view name, std::string_view known) {
  if (!known.ends_with('*')) return name == known;
  known.remove_suffix(1);
  return name.starts_with(known);
}

}  // namespace

std::string title_of(const RecordedSpace& recorded) {
  std::string text = recorded.problem.empty() ? "unknown kernel" : recorded.problem;
  if (!recorded.workload.empty()) text += " " + recorded.workload;
  return text + " on " + (recorded.device.empty() ? "unknown device" : recorded.device);
}

RecordedSpace space_of(ThirdPartyRecord record, const std::string& file) {
  if (record.evaluations.empty())
    throw Error(format("{}: it has no recorded configuration: tune first", file));
  if (record.parameters.empty())
    throw Error(format("{}: its configurations have no parameters: check that it is the right file", file));
  keep_last(record);
  fill_absent(record);
  search::SpaceDefinition definition{parameters_of(record), {}, {}, {}};
  std::vector<Configuration> configurations;
  for (const Evaluation& evaluation : record.evaluations) configurations.push_back(evaluation.configuration);
  try {
    return {.name = std::move(record.name),
            .problem = std::move(record.problem),
            .workload = std::move(record.workload),
            .device = std::move(record.device),
            .space = search::SearchSpace::of(std::move(definition), configurations),
            .evaluations = std::move(record.evaluations),
            .notes = std::move(record.notes)};
  } catch (const std::invalid_argument& error) {
    throw Error(format("{}: {}: rename it there", file, error.what()));
  }
}

search::Role guess_role(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto is_this = [&](std::string_view known) { return matches(lower, known); };
  if (std::ranges::any_of(thread_names, is_this)) return search::Role::threads;
  return std::ranges::any_of(work_names, is_this) ? search::Role::work : search::Role::other;
}

ReplayEvaluator::ReplayEvaluator(const std::vector<Evaluation>& recorded) {
  for (const Evaluation& evaluation : recorded) by_key_.emplace(evaluation.configuration.key(), evaluation);
}

std::optional<Evaluation> ReplayEvaluator::next() {
  if (queue_.empty()) throw std::logic_error("no configuration was submitted");
  const Configuration configuration = std::move(queue_.front());
  queue_.pop_front();
  const auto found = by_key_.find(configuration.key());
  if (found == by_key_.end()) return std::nullopt;
  Evaluation evaluation = found->second;
  evaluation.reused = false;
  return evaluation;
}

}  // namespace tune::replay
