// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/stepwise.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tune::search {
namespace {

/// Returns the first parameter that differs: neighbours differ in it, and after it only in parameters that
/// exist because of it.
std::size_t changed_parameter(const std::vector<int>& from, const std::vector<int>& to) {
  return static_cast<std::size_t>(std::ranges::mismatch(from, to).in1 - from.begin());
}

}  // namespace

Moves::Moves(const SearchSpace& space) : space_(space) {
  for (const Parameter& parameter : space.parameters())
    ordinal_.push_back(std::ranges::all_of(parameter.values, &Value::is_number));
}

double Moves::any_value(std::size_t parameter, Random& random) const {
  return static_cast<double>(random.below(values(parameter)));
}

double Moves::other_value(std::size_t parameter, double current, Random& random) const {
  const auto other = static_cast<double>(random.below(values(parameter) - 1));
  return other < std::round(current) ? other : other + 1;
}

Proposal Moves::proposal_from(ConfigurationId id, Random& random) const {
  Proposal proposal;
  for (const int index : space_.value_indices(id))
    proposal.push_back(index >= 0 ? static_cast<double>(index) : any_value(proposal.size(), random));
  return proposal;
}

std::optional<ConfigurationId> Moves::repair(std::span<const double> proposal, Random& random,
                                             const Allowed& allowed) const {
  std::vector<ValueCosts> costs(proposal.size());
  for (std::size_t p = 0; p < costs.size(); ++p) {
    costs[p].values.resize(values(p));
    const double length = static_cast<double>(std::max<std::size_t>(values(p), 2) - 1);
    for (std::size_t index = 0; index < values(p); ++index) {
      const double distance = std::abs(proposal[p] - static_cast<double>(index));
      costs[p].values[index] = ordinal_[p] ? distance / length : (distance > 0.5 ? 1.0 : 0.0);
    }
  }
  return space_.cheapest(costs, random, allowed);
}

std::vector<ConfigurationId> Moves::adjacent(ConfigurationId id,
                                             std::span<const ConfigurationId> neighbours) const {
  const std::vector<int> from = space_.value_indices(id);
  std::vector<ConfigurationId> found;
  // The nearest value below and above so far, for each ordinal parameter: index and configuration.
  std::map<std::pair<std::size_t, bool>, std::pair<int, ConfigurationId>> next;
  for (const ConfigurationId neighbour : neighbours) {
    const std::vector<int> to = space_.value_indices(neighbour);
    const std::size_t p = changed_parameter(from, to);
    if (!ordinal_[p]) {
      found.push_back(neighbour);
      continue;
    }
    const auto [place, is_new] = next.try_emplace({p, to[p] > from[p]}, to[p], neighbour);
    if (!is_new && std::abs(to[p] - from[p]) < std::abs(place->second.first - from[p]))
      place->second = {to[p], neighbour};
  }
  for (const auto& entry : next) found.push_back(entry.second.second);
  std::ranges::sort(found);
  return found;
}

std::optional<ConfigurationId> Moves::perturb(ConfigurationId id, std::size_t count, Random& random,
                                              const Allowed& allowed) const {
  const std::vector<int> indices = space_.value_indices(id);
  std::vector<std::size_t> changeable;
  for (std::size_t p = 0; p < indices.size(); ++p)
    if (indices[p] >= 0 && values(p) > 1) changeable.push_back(p);
  Proposal proposal = proposal_from(id, random);
  for (; count > 0 && !changeable.empty(); --count) {
    std::swap(changeable[random.below(changeable.size())], changeable.back());
    const std::size_t p = changeable.back();
    changeable.pop_back();
    proposal[p] = other_value(p, proposal[p], random);
  }
  return repair(proposal, random,
                [&](ConfigurationId other) { return other != id && (!allowed || allowed(other)); });
}

Proposal Moves::cross(ConfigurationId a, ConfigurationId b, Random& random) const {
  const std::vector<int> first = space_.value_indices(a);
  const std::vector<int> second = space_.value_indices(b);
  Proposal child;
  for (std::size_t p = 0; p < first.size(); ++p) {
    int index = random.below(2) == 0 ? first[p] : second[p];
    if (index < 0) index = std::max(first[p], second[p]);
    child.push_back(index >= 0 ? static_cast<double>(index) : any_value(p, random));
  }
  return child;
}

void Moves::mutate(Proposal& proposal, double chance, Random& random) const {
  for (std::size_t p = 0; p < proposal.size(); ++p) {
    if (random.uniform() >= chance || values(p) < 2) continue;
    if (!ordinal_[p] || random.below(2) == 0) {
      proposal[p] = other_value(p, proposal[p], random);
      continue;
    }
    const double last = static_cast<double>(values(p) - 1);
    const double step = proposal[p] <= 0       ? 1.0
                        : proposal[p] >= last  ? -1.0
                        : random.below(2) == 0 ? 1.0
                                               : -1.0;
    proposal[p] = std::clamp(proposal[p] + step, 0.0, last);
  }
}

StepwiseSearch::StepwiseSearch(const SearchTask& task, std::size_t start)
    : space_(task.space),
      random_(task.seed),
      visited_(task.space.size()),
      moves_(task.space),
      design_(task.space, start, random_) {}

std::vector<ConfigurationId> StepwiseSearch::ask(std::size_t count) {
  std::vector<ConfigurationId> batch;
  while (batch.size() < count && visited_.remaining() > 0) {
    const auto id = choose();
    if (!id) break;
    batch.push_back(*id);
  }
  return batch;
}

void StepwiseSearch::tell(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    visited_.tell(observation);
    learn(observation.id, cost_of(observation));
  }
}

std::optional<ConfigurationId> StepwiseSearch::sample() {
  const auto id = design_.take(visited_);
  return id ? id : visited_.take_random(random_);
}

std::optional<ConfigurationId> StepwiseSearch::take_or_sample(std::optional<ConfigurationId> id) {
  return id && visited_.take(*id) ? id : sample();
}

void StepwiseSearch::shuffle(std::vector<ConfigurationId>& ids) {
  for (std::size_t left = ids.size(); left > 1; --left) std::swap(ids[left - 1], ids[random_.below(left)]);
}

}  // namespace tune::search
