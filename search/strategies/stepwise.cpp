// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/stepwise.hpp"

namespace tune::search {

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
  const auto id = design_.take(visited_, random_);
  return id ? id : visited_.take_random(random_);
}

std::optional<ConfigurationId> StepwiseSearch::take_or_sample(std::optional<ConfigurationId> id) {
  return id && visited_.take(*id) ? id : sample();
}

void StepwiseSearch::shuffle(std::vector<ConfigurationId>& ids) {
  for (std::size_t left = ids.size(); left > 1; --left) std::swap(ids[left - 1], ids[random_.below(left)]);
}

}  // namespace tune::search
