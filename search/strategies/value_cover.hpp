// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/ask_tell/visited.hpp"
#include "search/space/search_space.hpp"

namespace tune::search {

/// A handful of random configurations that together cover the values of every parameter as well as so few
/// can, however few configurations have a value: for checks, which must see what is rare. A search would
/// begin with rare extremes (see StratifiedDesign). The values of each parameter are used about equally
/// often, and where there are more values than configurations, these are spread over them (a Latin hypercube,
/// M. D. McKay et al., Technometrics 21, 1979, for values and constraints). It begins with one configuration
/// for each value of the first parameter (the variant) that has any, in random order, unless the design is
/// too small for that.
///
/// Each configuration is the valid unseen one whose values are used least by those before it; a small random
/// cost of each value decides among equals.
class ValueCover {
 public:
  /// The space must outlive the design, which has at most `size` configurations.
  ValueCover(const SearchSpace& space, std::size_t size, Random& random);

  /// Returns the next configuration, taken from `visited`, or nothing once the design is complete.
  std::optional<ConfigurationId> take(Visited& visited, Random& random);

 private:
  std::optional<ConfigurationId> least_used(const Visited& visited, std::optional<std::size_t> first_value,
                                            Random& random);
  void use(ConfigurationId id);

  const SearchSpace& space_;
  std::size_t size_;
  std::size_t left_;
  std::vector<std::size_t> first_values_;  ///< of the first parameter, still to see; the last comes first
  std::vector<ValueCosts> used_;           ///< how much each value was used
};

}  // namespace tune::search
