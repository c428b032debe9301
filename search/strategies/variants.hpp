// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/ask_tell/visited.hpp"
#include "search/random.hpp"
#include "search/space/search_space.hpp"

namespace tune::search {

/// The variants of a problem: the values of its first parameter, where these are a few texts. Other
/// parameters depend on them, and the best variant may have a thousandth of all configurations: drawn
/// uniformly, a search would never see it.
class Variants {
 public:
  /// A parameter with more texts is not a choice of variants.
  static constexpr std::size_t max = 8;

  /// The space must outlive it.
  explicit Variants(const SearchSpace& space);

  /// Returns how many variants have valid configurations; 0 where fewer than two have.
  std::size_t size() const { return members_.size(); }
  /// Returns the number of the variant of a configuration; only where there are variants.
  std::size_t of(ConfigurationId id) const;
  /// Returns the number of its configurations.
  ConfigurationId members(std::size_t variant) const { return end(variant) - begin(variant); }
  /// Its configurations are all those from `begin` on and before `end`.
  ConfigurationId begin(std::size_t variant) const { return members_[variant].begin; }
  ConfigurationId end(std::size_t variant) const { return members_[variant].end; }
  /// Returns the index of its value of the first parameter.
  std::size_t value(std::size_t variant) const { return static_cast<std::size_t>(members_[variant].value); }
  /// Draws one of its unseen configurations; returns nothing where some tries meet seen ones only.
  std::optional<ConfigurationId> draw(std::size_t variant, const Visited& seen, Random& random) const;
  /// Returns its configuration nearest to its guess (SpaceDefinition::guesses) and the defaults.
  ConfigurationId typical(std::size_t variant, Random& random) const;

 private:
  struct Members {
    int value;                   ///< index
    ConfigurationId begin, end;  ///< all of these
  };

  const SearchSpace& space_;
  std::vector<Members> members_;
};

/// What is known of each variant, and how often a search still looks at each.
class VariantResults {
 public:
  explicit VariantResults(std::size_t variants) : results_(variants) {}

  void tell(std::size_t variant, std::optional<double> cost);
  /// Leaves a variant out for good: it has no chance any more.
  void close(std::size_t variant) { results_[variant].closed = true; }
  /// Returns the least cost of all variants over that of this one, 0 where all of its results are failures;
  /// nothing without results.
  std::optional<double> share_of_best(std::size_t variant) const;
  /// How long a search believes in the fastest variant.
  struct Belief {
    double patience = 1;    ///< with a slower one: larger values give it more results
    double endurance = 20;  ///< results of the fastest one without a gain that double the patience; 0: never
  };
  /// Returns for each variant the chance, 0 to 1, that a choice considers it: exp(-slowdown * results /
  /// patience), with the slowdown of its best (see `slowdown`). 1 for a variant without results; the more
  /// results did not bring a variant near the best, the less. Two that are nearly equal both keep their
  /// chances. The fastest has 1, but the longer its results bring no gain, the less, and the more patience
  /// there is with those that are not far behind.
  std::vector<double> chances(const Belief& belief, double softness) const;

 private:
  struct Result {
    std::optional<double> best;  ///< cost
    std::size_t count = 0;       ///< results, failures included
    std::size_t stale = 0;       ///< of these, the last ones without a gain worth the name
    bool closed = false;
  };

  std::optional<double> least() const;

  std::vector<Result> results_;
};

}  // namespace tune::search
