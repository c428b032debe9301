// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "search/ask_tell/strategy.hpp"

namespace tune::search::testing {

/// A space and an invented cost of each of its configurations: what a search strategy can be judged by
/// without a device. Everything about it follows from the seed that it was made with.
class Landscape {
 public:
  /// `costs`: by number of the configuration, in seconds; nothing where the evaluation fails.
  Landscape(std::string name, SearchSpace space, std::vector<std::optional<double>> costs);

  const std::string& name() const { return name_; }
  const SearchSpace& space() const { return space_; }
  Observation observe(ConfigurationId id) const { return {id, costs_.at(id)}; }
  /// The least cost of all configurations.
  double optimum() const { return optimum_; }
  /// What share of the optimum a cost is: 1 for the optimum, less for dearer ones, 0 for an infinite one.
  double score(double cost) const { return optimum_ / cost; }

 private:
  std::string name_;
  SearchSpace space_;
  std::vector<std::optional<double>> costs_;
  double optimum_ = std::numeric_limits<double>::infinity();
};

/// 9,720 configurations of six ordinal and one text parameter, with two constraints; each parameter adds its
/// own slope away from a value of its own: a climb finds the optimum.
Landscape separable(std::uint64_t seed);
/// The same space; each parameter's part is a random number for its value and those of two other parameters
/// (an NK landscape with K = 2, S. Kauffman, 1987): many local optima, but neighbours are alike.
Landscape rugged(std::uint64_t seed);
/// The first four of its parameters, flat but for one configuration.
Landscape needle(std::uint64_t seed);
/// `separable`, but four in ten configurations fail, the optimum's surroundings among them: no constraint
/// says so, though it is a matter of two parameters.
Landscape failing_region(std::uint64_t seed);
/// Three variants with parameters of their own and with different optima: the best variant is not the one
/// that is best on average.
Landscape variants(std::uint64_t seed);
/// `separable` rounded to a few levels: most neighbours cost the same.
Landscape plateau(std::uint64_t seed);

/// The best score that a strategy reaches with a budget of evaluations on the landscape; 0 where all failed.
/// `batch`: configurations that are asked for at a time.
double best_score(Strategy& strategy, const Landscape& landscape, std::size_t budget, std::size_t batch = 1);

}  // namespace tune::search::testing
