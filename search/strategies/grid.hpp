// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>

#include "search/strategies/strategy.hpp"

namespace tune::search {

/// Every configuration once, coarsely first: the default configuration, then the numbers 0 .. size-1 in the
/// order of their reversed bits (J. G. van der Corput's sequence, 1935). Numbers are in lexical order, so
/// whenever it stops it has seen all regions about equally densely. Takes no seed: there is no chance in it.
class GridSearch : public Strategy {
 public:
  /// The space must outlive the strategy.
  explicit GridSearch(const SearchSpace& space);

  std::vector<ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const Observation> observations) override;

 private:
  const SearchSpace& space_;
  unsigned bits_;                             ///< of the largest number
  std::uint64_t step_ = 0;                    ///< how many numbers of `bits_` bits were gone through
  bool started_ = false;                      ///< whether the default was given out
  std::unordered_set<ConfigurationId> skip_;  ///< the default, and what was told
};

}  // namespace tune::search
