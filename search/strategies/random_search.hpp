// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "search/random.hpp"
#include "search/strategies/strategy.hpp"

namespace tune::search {

/// Uniform over the valid configurations, without repetition, after a start that sees every value of the
/// first parameter (the variant) once: one configuration for each value that has any, uniform among its own,
/// the values in random order. Without the start a variant with few configurations might not be tried for
/// long.
///
/// The rest is a Fisher-Yates shuffle that stores only the places it moved: O(1) time and memory for each
/// configuration asked for, whatever the size of the space.
class RandomSearch : public Strategy {
 public:
  /// The space must outlive the strategy.
  RandomSearch(const SearchSpace& space, std::uint64_t seed);

  std::vector<ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const Observation> observations) override;

 private:
  void plan_start();
  /// The next of the shuffle, which must not be at its end.
  ConfigurationId draw();

  const SearchSpace& space_;
  Random random_;
  std::vector<ConfigurationId> start_;  ///< in reverse: the last is asked for first
  std::unordered_map<ConfigurationId, ConfigurationId>
      moved_;                                 ///< place in the shuffle -> what was moved there
  ConfigurationId remaining_;                 ///< places left in the shuffle
  std::unordered_set<ConfigurationId> skip_;  ///< the start, and what was told
};

}  // namespace tune::search
