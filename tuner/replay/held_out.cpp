// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/held_out.hpp"

#include <algorithm>
#include <stdexcept>

namespace tune::replay {
namespace {

Scores on_group(std::span<const SpaceResult> results, const SpaceGroup& group, std::size_t strategy) {
  std::vector<Scores> scores;
  for (const std::size_t space : group.spaces) scores.push_back(results[space].scores[strategy]);
  return mean_of(scores);
}

/// The one figure that contenders are chosen by.
double figure_of(const Scores& scores) {
  const std::vector<Spread>& shares = scores.share_at_times.empty() ? scores.share : scores.share_at_times;
  double sum = 0;
  for (const Spread& share : shares) sum += share.mean;
  return sum / static_cast<double>(shares.size());
}

/// The best contender over all groups but one, by `figures[group][strategy]`, and its mean.
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
    throw std::logic_error("nothing to choose by: two groups and a contender are needed");
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
