// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/random_search.hpp"

namespace tune::search {

RandomSearch::RandomSearch(const SearchSpace& space, std::uint64_t seed)
    : random_(seed),
      visited_(space.size()),
      start_(space, StratifiedDesign::reasonable_size(space), random_) {}

std::vector<ConfigurationId> RandomSearch::ask(std::size_t count) {
  std::vector<ConfigurationId> batch;
  while (batch.size() < count) {
    auto id = start_.take(visited_, random_);
    if (!id) id = visited_.take_random(random_);
    if (!id) break;
    batch.push_back(*id);
  }
  return batch;
}

void RandomSearch::tell(std::span<const Observation> observations) {
  for (const Observation& observation : observations) visited_.take(observation.id);
}

}  // namespace tune::search
