// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "search/ask_tell/visited.hpp"
#include "search/random.hpp"
#include "search/strategies/registry.hpp"
#include "search/strategies/stratified.hpp"

namespace tune::search {
namespace {

/// Samples the valid configurations uniformly, without repetition, after a stratified start: a handful of
/// configurations, also at random, that spread over the values of every parameter and begin with one of every
/// variant. Without the start a variant with few configurations might not be tried for long, and a small
/// sample misses values by chance.
///
/// O(1) for each configuration asked for, whatever the size of the space and however much of it is out.
class RandomSearch : public Strategy {
 public:
  explicit RandomSearch(const SearchTask& task, const NoOptions& = {});

  std::vector<ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const Observation> observations) override;

 private:
  Random random_;
  Visited visited_;
  StratifiedDesign start_;
};

RandomSearch::RandomSearch(const SearchTask& task, const NoOptions& /*none*/)
    : random_(task.seed),
      visited_(task.space.size()),
      start_(task.space, StratifiedDesign::reasonable_size(task.space), random_) {}

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

}  // namespace

StrategyEntry random_strategy() {
  return strategy_entry<RandomSearch, NoOptions>(
      "random", "uniform without repetition, after a start that spreads over all values");
}

}  // namespace tune::search
