// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "search/ask_tell/visited.hpp"
#include "search/random.hpp"

namespace tune::search {

/// The variants of a problem: the values of its first parameter, where these are a few texts. Other
/// parameters depend on them, and the best variant may have a thousandth of all configurations: drawn
/// uniformly, a search would never see it.
class Variants {
 public:
  /// More texts are no variants.
  static constexpr std::size_t max = 8;

  /// The space must outlive it.
  explicit Variants(const SearchSpace& space);

  /// How many have valid configurations; 0 where there are less than two.
  std::size_t size() const { return members_.size(); }
  /// Number of the variant of a configuration. Only where there are some.
  std::size_t of(ConfigurationId id) const;
  /// How many configurations it has.
  ConfigurationId members(std::size_t variant) const {
    return members_[variant].end - members_[variant].begin;
  }
  /// One of its unseen configurations at random; nothing where some tries meet seen ones only.
  std::optional<ConfigurationId> draw(std::size_t variant, const Visited& seen, Random& random) const;
  /// Its configuration that is nearest to the defaults: what a careful engineer would begin with.
  ConfigurationId typical(std::size_t variant, Random& random) const;

 private:
  struct Members {
    int value;                   ///< index
    ConfigurationId begin, end;  ///< all of these
  };

  const SearchSpace& space_;
  std::vector<Members> members_;
};

}  // namespace tune::search
