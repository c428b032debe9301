// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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

/// Remembers for a strategy which configurations of a space were seen (asked for, or told from outside),
/// their costs, and the best. Draws unseen ones at random in constant time, however few are left. A bit for
/// each configuration of the space, or, of a space too large for that, some bytes for each that was seen; and
/// some bytes for each that was told.
class Visited {
 public:
  /// `size` is the number of configurations of the space. Numbers beyond, of configurations that were found
  /// in a space that is not counted, can be seen and told, and are never drawn.
  explicit Visited(ConfigurationId size);

  bool seen(ConfigurationId id) const {
    if (is_closed(id)) return true;
    if (size_ > max_bits || id >= size_) return seen_of_many_.contains(id);
    return ((seen_[id / word_bits] >> (id % word_bits)) & 1) != 0;
  }
  ConfigurationId size() const { return size_; }
  /// Returns the number of unseen configurations.
  ConfigurationId remaining() const { return remaining_; }

  /// Marks a configuration as seen. Returns false where it was seen before.
  bool take(ConfigurationId id);
  /// Leaves out the configurations from `begin` on and before `end` for good: they count as seen.
  void close(ConfigurationId begin, ConfigurationId end);
  bool is_closed(ConfigurationId id) const {
    return id < size_ && std::ranges::none_of(
                             open_, [id](const Range& range) { return range.begin <= id && id < range.end; });
  }
  /// Returns one of the unseen, each with the same chance, or nothing where all were seen. O(1) on average
  /// over any sequence of calls.
  std::optional<ConfigurationId> random_unseen(Random& random);
  /// Does the same, and takes the configuration.
  std::optional<ConfigurationId> take_random(Random& random);
  /// Returns all of the unseen, in increasing order: goes through the whole space.
  std::vector<ConfigurationId> unseen() const;

  /// Marks a configuration as seen and remembers its cost; a second result replaces the first.
  void tell(const Observation& observation);
  /// Returns the cost of a told configuration: infinite where it failed, so that comparisons need no special
  /// case; nothing where it was not told.
  std::optional<double> cost(ConfigurationId id) const;
  /// Returns one of the cheapest told configurations that did not fail, if any.
  std::optional<ConfigurationId> best() const { return best_; }
  /// Returns the number of told configurations.
  std::size_t told() const { return costs_.size(); }

 private:
  static constexpr ConfigurationId word_bits = 64;
  static constexpr ConfigurationId max_bits = ConfigurationId{1} << 26;  ///< 8 MB

  struct Range {
    ConfigurationId begin, end;
  };

  void find_best();
  /// Returns any configuration that is not closed.
  ConfigurationId draw(Random& random) const;

  ConfigurationId size_;
  ConfigurationId remaining_;
  std::vector<Range> open_;          ///< what is not closed, in increasing order
  ConfigurationId open_size_;        ///< configurations in it
  std::vector<std::uint64_t> seen_;  ///< a bit each
  std::unordered_set<ConfigurationId> seen_of_many_;
  std::vector<ConfigurationId> few_;  ///< once few are left: all that are unseen, and maybe others
  std::unordered_map<ConfigurationId, double> costs_;
  std::optional<ConfigurationId> best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

/// Returns the cost of an observation, in seconds, as strategies compare it: infinite for a failure and for
/// NaN.
double cost_of(const Observation& observation);

}  // namespace tune::search
