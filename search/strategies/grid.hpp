// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "search/ask_tell/visited.hpp"

namespace tune::search {

/// Visits every configuration once, coarsely first: the default configuration, then every n-th number of the
/// space, round and round, where n has no divisor in common with the size (a rank-1 lattice: N. M. Korobov,
/// Doklady Akad. Nauk SSSR 124, 1959). Of a few dozen strides, n is the one with which the first steps spread
/// best over the values of every parameter and over the pairs of values of any two: numbers are in lexical
/// order, so that most strides leave some parameter unchanged for long. It is deterministic and takes no
/// seed.
class GridSearch : public Strategy {
 public:
  /// The space must outlive the strategy.
  explicit GridSearch(const SearchSpace& space);

  std::vector<ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const Observation> observations) override;

 private:
  Visited visited_;
  ConfigurationId stride_;
  ConfigurationId next_ = 0;              ///< unless it was seen
  std::optional<ConfigurationId> first_;  ///< the default, until it was given out
};

}  // namespace tune::search
