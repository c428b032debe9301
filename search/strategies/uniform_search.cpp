// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "search/ask_tell/visited.hpp"
#include "search/random.hpp"
#include "search/strategies/registry.hpp"

namespace tune::search {
namespace {

/// Samples the valid configurations uniformly, without repetition: each unseen one with the same chance.
class UniformSearch : public Strategy {
 public:
  explicit UniformSearch(const SearchTask& task, const NoOptions& = {})
      : random_(task.seed), visited_(task.space.size()) {}

  std::vector<ConfigurationId> ask(std::size_t count) override {
    std::vector<ConfigurationId> batch;
    while (batch.size() < count) {
      const auto id = visited_.take_random(random_);
      if (!id) break;
      batch.push_back(*id);
    }
    return batch;
  }
  void tell(std::span<const Observation> observations) override {
    for (const Observation& observation : observations) visited_.take(observation.id);
  }

 private:
  Random random_;
  Visited visited_;
};

}  // namespace

StrategyEntry uniform_strategy() {
  return strategy_entry<UniformSearch, NoOptions>("uniform",
                                                  "random, each configuration with the same chance");
}

}  // namespace tune::search
