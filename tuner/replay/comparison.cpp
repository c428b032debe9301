// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/comparison.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"

namespace tune::replay {
namespace {

/// S. Vigna's splitmix64: every bit of the result depends on every bit of the number.
std::uint64_t mix(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

/// Calls `function` for 0 .. count-1; each thread takes the next number as soon as it is free, because
/// searches differ in length.
void in_turns(std::uint64_t count, unsigned threads, const std::function<void(std::uint64_t)>& function) {
  std::atomic<std::uint64_t> next{0};
  const auto take = [&](std::uint64_t, std::uint64_t) {
    for (std::uint64_t job = next++; job < count; job = next++) function(job);
  };
  if (threads == 1)
    take(0, 1);
  else
    parallel_for(threads == 0 ? host_threads() : threads, 1, take);
}

SpaceFacts space_facts(const OutcomeTable& outcomes, const Baseline& baseline) {
  return {.configurations = outcomes.recorded(),
          .failed = outcomes.failed(),
          .optimum = outcomes.optimum(),
          .median = outcomes.median(),
          .within_5 = outcomes.within(0.05),
          .within_1 = outcomes.within(0.01),
          .random_evaluations = baseline.curve().expected_evaluations(outcomes.within(0.05)),
          .cutoff_evaluations = baseline.cutoff_evaluations(),
          .seconds_each = outcomes.seconds_each()};
}

Scores on_group(std::span<const SpaceResult> results, const SpaceGroup& group, std::size_t strategy) {
  std::vector<Scores> scores;
  for (const std::size_t space : group.spaces) scores.push_back(results[space].scores[strategy]);
  return mean_of(scores);
}

/// Returns the figure by which a strategy is chosen.
double figure_of(const Scores& scores) {
  const std::vector<Spread>& shares = scores.share_at_times.empty() ? scores.share : scores.share_at_times;
  double sum = 0;
  for (const Spread& share : shares) sum += share.mean;
  return sum / static_cast<double>(shares.size());
}

/// Returns the best strategy over all groups but one, by `figures[group][strategy]`, and its mean.
std::pair<std::size_t, double> best_without(const std::vector<std::vector<double>>& figures,
                                            std::size_t left_out) {
  std::vector<double> means(figures.front().size());
  for (std::size_t g = 0; g < figures.size(); ++g)
    for (std::size_t c = 0; c < means.size() && g != left_out; ++c) means[c] += figures[g][c];
  const auto best = std::ranges::max_element(means);
  const std::size_t counted = figures.size() - (left_out < figures.size() ? 1 : 0);
  return {static_cast<std::size_t>(best - means.begin()), *best / static_cast<double>(counted)};
}

}  // namespace

std::uint64_t seed_of(std::uint64_t seed, const std::string& space, std::uint64_t repeat) {
  std::uint64_t state = mix(seed);
  for (const char letter : space) state = mix(state ^ static_cast<unsigned char>(letter));
  return mix(state ^ repeat);
}

std::vector<SpaceResult> compare(std::span<const RecordedSpace> spaces,
                                 std::span<const ComparedStrategy> contenders,
                                 const ComparisonOptions& options) {
  std::vector<OutcomeTable> tables;
  for (const RecordedSpace& space : spaces) {
    tables.emplace_back(space.space, space.evaluations);
    if (tables.back().costs().empty())
      throw Error(format("{}: every configuration failed: there is nothing to search for", space.name));
    const bool needs_times =
        !options.times.empty() ||
        std::ranges::any_of(contenders, [](const ComparedStrategy& one) { return one.compilers > 0; });
    if (needs_times && !(tables.back().seconds_each() > 0))
      throw Error(
          format("{}: the recording does not say how long compiling "
                 "and measuring took: it cannot be searched by time",
                 space.name));
  }
  const SimulationOptions one_at_a_time{.evaluations = options.budgets.back(),
                                        .batch = options.batch,
                                        .in_flight = options.in_flight,
                                        .seconds = options.times.empty() ? 0 : options.times.back()};
  const std::uint64_t each = contenders.size() * options.repeats;  // jobs of a space
  std::vector<Trace> traces(spaces.size() * each);
  in_turns(traces.size(), options.threads, [&](std::uint64_t job) {
    const std::size_t space = job / each;
    const ComparedStrategy& strategy = contenders[job % each / options.repeats];
    const std::uint64_t repeat = job % options.repeats;
    search::SearchTask task{spaces[space].space, seed_of(options.seed, spaces[space].name, repeat)};
    if (options.related) task.related = options.related(space, repeat);
    SimulationOptions simulation = one_at_a_time;
    simulation.compilers = strategy.compilers;
    traces[job] = simulate(task, tables[space], strategy.make, simulation);
  });
  std::vector<SpaceResult> results(spaces.size());
  in_turns(spaces.size(), options.threads, [&](std::uint64_t space) {
    const Baseline baseline(tables[space], options.budgets.back());
    SpaceResult& result = results[space];
    result.facts = space_facts(tables[space], baseline);
    result.random = scores_of_random(tables[space], baseline, options.budgets);
    for (std::size_t c = 0; c < contenders.size(); ++c)
      result.scores.push_back(
          scores_of(std::span(traces).subspan(space * each + c * options.repeats, options.repeats),
                    tables[space], baseline, options.budgets, options.times));
  });
  return results;
}

std::vector<SpaceGroup> groups_of(std::span<const SpaceResult> results) {
  SpaceGroup all{"all", {}};
  SpaceGroup hard{"hard half", {}};
  std::vector<double> needed;
  for (const SpaceResult& result : results) needed.push_back(result.facts.random_evaluations);
  std::ranges::sort(needed);
  for (std::size_t s = 0; s < results.size(); ++s) {
    all.spaces.push_back(s);
    if (results[s].facts.random_evaluations >= needed[needed.size() / 2]) hard.spaces.push_back(s);
  }
  if (results.size() < 2) return {all};
  return {all, hard};
}

std::vector<SpaceGroup> groups_by(std::span<const std::string> names) {
  std::vector<SpaceGroup> groups;
  for (std::size_t s = 0; s < names.size(); ++s) {
    auto group = std::ranges::find(groups, names[s], &SpaceGroup::name);
    if (group == groups.end()) group = groups.insert(groups.end(), {names[s], {}});
    group->spaces.push_back(s);
  }
  return groups;
}

std::vector<std::string> kernels_of(std::span<const RecordedSpace> spaces,
                                    std::span<const std::pair<std::string, std::string>> named) {
  std::vector<std::string> kernels;
  for (const RecordedSpace& space : spaces) {
    const auto mine =
        std::ranges::find_if(named, [&](const auto& one) { return space.name.starts_with(one.second); });
    if (mine != named.end())
      kernels.push_back(mine->first);
    else
      kernels.push_back(space.problem.empty() ? space.name : space.problem);
  }
  return kernels;
}

HeldOut hold_out(std::span<const SpaceResult> results, std::span<const SpaceGroup> groups) {
  if (groups.size() < 2 || results.front().scores.empty())
    throw std::logic_error("holding out needs two groups and a strategy");
  std::vector<std::vector<double>> figures;
  for (const SpaceGroup& group : groups) {
    figures.emplace_back();
    for (std::size_t c = 0; c < results.front().scores.size(); ++c)
      figures.back().push_back(figure_of(on_group(results, group, c)));
  }
  HeldOut held;
  std::vector<Scores> all;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [chosen, elsewhere] = best_without(figures, g);
    held.folds.push_back({groups[g], chosen, elsewhere, on_group(results, groups[g], chosen)});
    for (const std::size_t space : groups[g].spaces) all.push_back(results[space].scores[chosen]);
  }
  held.scores = mean_of(all);
  held.hindsight = best_without(figures, groups.size()).first;
  return held;
}

}  // namespace tune::replay
