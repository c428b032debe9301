// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "search/ask_tell/strategy.hpp"
#include "search/random.hpp"

namespace tune::search {

/// What a strategy remembers of a space: which configurations were seen (asked for, or told from outside),
/// what they cost, and which is the best. Draws unseen ones at random in constant time, however few are left.
/// A bit for each configuration of the space, or, of a space too large for that, some bytes for each that was
/// seen; and some bytes for each that was told.
class Visited {
 public:
  /// `size`: configurations of the space, numbered from 0.
  explicit Visited(ConfigurationId size);

  bool seen(ConfigurationId id) const {
    if (size_ > max_bits) return seen_of_many_.contains(id);
    return ((seen_[id / word_bits] >> (id % word_bits)) & 1) != 0;
  }
  ConfigurationId size() const { return size_; }
  /// How many are unseen.
  ConfigurationId remaining() const { return remaining_; }

  /// Marks as seen. False where it was seen before.
  bool take(ConfigurationId id);
  /// One of the unseen, each with the same chance; nothing where all were seen. O(1) on average over any
  /// sequence of calls.
  std::optional<ConfigurationId> random_unseen(Random& random);
  /// The same, and takes it.
  std::optional<ConfigurationId> take_random(Random& random);
  /// All of the unseen, in increasing order: goes through the whole space.
  std::vector<ConfigurationId> unseen() const;

  /// Marks as seen and remembers the cost; what is told again replaces what was told before.
  void tell(const Observation& observation);
  /// Of a told configuration; infinite where it failed, so that a failure is worse than anything and
  /// comparisons need no special case. Nothing where it was not told.
  std::optional<double> cost(ConfigurationId id) const;
  /// One of the cheapest told that did not fail, if any.
  std::optional<ConfigurationId> best() const { return best_; }
  /// How many were told.
  std::size_t told() const { return costs_.size(); }

 private:
  static constexpr ConfigurationId word_bits = 64;
  static constexpr ConfigurationId max_bits = ConfigurationId{1} << 26;  ///< 8 MB

  void find_best();

  ConfigurationId size_;
  ConfigurationId remaining_;
  std::vector<std::uint64_t> seen_;  ///< a bit each
  std::unordered_set<ConfigurationId> seen_of_many_;
  std::vector<ConfigurationId> few_;  ///< once few are left: all that are unseen, and maybe others
  std::unordered_map<ConfigurationId, double> costs_;
  std::optional<ConfigurationId> best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

/// The cost in seconds of an observation as strategies compare it: infinite for a failure, and for a number
/// that is none.
double cost_of(const Observation& observation);

}  // namespace tune::search
