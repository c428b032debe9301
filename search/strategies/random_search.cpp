// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "search/ask_tell/visited.hpp"
#include "search/random.hpp"
#include "search/strategies/registry.hpp"
#include "search/strategies/stratified.hpp"
#include "search/strategies/value_cover.hpp"

namespace tune::search {
namespace {

struct RandomOptions {
  bool values = false;  ///< the start is a ValueCover
};

void visit_options(RandomOptions& options, OptionVisitor& visitor) {
  visitor.toggle("values", options.values, "the start covers all values and variants, rare ones too");
}

/// Samples the valid configurations without repetition: a stratified start, a handful of random
/// configurations that have the values of every parameter as often as the space has them, then uniformly. A
/// small uniform sample would repeat some values and miss others by chance.
///
/// O(1) for each configuration asked for, whatever the size of the space and however much of it is out.
class RandomSearch : public Strategy {
 public:
  explicit RandomSearch(const SearchTask& task, const RandomOptions& options);

  std::vector<ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const Observation> observations) override;

 private:
  std::optional<ConfigurationId> next_of_start();

  Random random_;
  Visited visited_;
  std::optional<StratifiedDesign> start_;
  std::optional<ValueCover> values_;
};

RandomSearch::RandomSearch(const SearchTask& task, const RandomOptions& options)
    : random_(task.seed), visited_(task.space.size()) {
  const std::size_t size = StratifiedDesign::reasonable_size(task.space);
  if (options.values)
    values_.emplace(task.space, size, random_);
  else
    start_.emplace(task.space, size, random_);
}

std::optional<ConfigurationId> RandomSearch::next_of_start() {
  return values_ ? values_->take(visited_, random_) : start_->take(visited_);
}

std::vector<ConfigurationId> RandomSearch::ask(std::size_t count) {
  std::vector<ConfigurationId> batch;
  while (batch.size() < count) {
    auto id = next_of_start();
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
  return strategy_entry<RandomSearch, RandomOptions>("random", "random, after a stratified start");
}

}  // namespace tune::search
