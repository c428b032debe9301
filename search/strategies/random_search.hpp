// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "search/ask_tell/visited.hpp"
#include "search/random.hpp"
#include "search/strategies/stratified.hpp"

namespace tune::search {

/// Samples the valid configurations uniformly, without repetition, after a stratified start: a handful of
/// configurations, also at random, that spread over the values of every parameter and begin with one of every
/// variant. Without the start a variant with few configurations might not be tried for long, and a small
/// sample misses values by chance.
///
/// O(1) for each configuration asked for, whatever the size of the space and however much of it is out.
class RandomSearch : public Strategy {
 public:
  /// The space must outlive the strategy.
  RandomSearch(const SearchSpace& space, std::uint64_t seed);

  std::vector<ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const Observation> observations) override;

 private:
  Random random_;
  Visited visited_;
  StratifiedDesign start_;
};

}  // namespace tune::search
