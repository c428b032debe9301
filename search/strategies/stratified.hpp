// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/ask_tell/visited.hpp"
#include "search/space/search_space.hpp"

namespace tune::search {

/// A handful of random configurations that together cover every parameter as well as so few can: a Latin
/// hypercube (M. D. McKay et al., Technometrics 21, 1979) in the quantiles of the candidates. The candidates
/// that have a parameter are divided by its values into as many strata of equal size as the design has
/// configurations. Each configuration lies in another stratum of each parameter, as nearly as valid ones do.
/// So a value that few candidates have is used as rarely as by chance.
///
/// Each configuration is the candidate nearest to its strata: the sum over parameters of the share of
/// candidates between its value and the place that was drawn in the stratum, or of 1 for another switch or
/// name.
class StratifiedDesign {
 public:
  /// Chooses among these candidates. `lean`, one number for each, is added to its distance; empty: 0.
  StratifiedDesign(const SearchSpace& space, std::vector<ConfigurationId> candidates, std::size_t size,
                   Random& random, std::vector<double> lean = {});
  /// Chooses among a uniform sample of the space, or all of a small one.
  StratifiedDesign(const SearchSpace& space, std::size_t size, Random& random);

  /// Returns how many are needed to cover every value of every parameter, but at least 8 and at most 32.
  static std::size_t reasonable_size(const SearchSpace& space);

  /// Returns the next configuration, taken from `visited`, or nothing once the design is complete.
  std::optional<ConfigurationId> take(Visited& visited);

 private:
  /// The distribution of the candidates over one parameter's values, and the design's places in it.
  struct Marginal {
    bool ordered = false;
    std::vector<double> below;   ///< by value: the share of the candidates with a value before it; and 1
    std::vector<double> places;  ///< by configuration of the design

    double distance(std::size_t value, double place) const;
    /// The mean distance of the candidates that have the parameter.
    double mean_distance(double place) const;
  };

  std::vector<ConfigurationId> candidates_;
  std::vector<std::vector<int>> values_;  ///< by candidate and parameter: SearchSpace::value_indices
  std::vector<double> lean_;
  std::vector<Marginal> marginals_;
  std::size_t next_ = 0, size_;
};

}  // namespace tune::search
