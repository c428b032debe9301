// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/space/search_space.hpp"

namespace tune::search {

/// Returns true where the values of a parameter are amounts, which have an order: numbers, but not a few of
/// which one is 0 or less. Else they are switches or names.
bool are_amounts(const Parameter& parameter);

/// A coordinate of a configuration for models: a parameter, or a figure that follows from parameters. A
/// configuration has one of finitely many levels in it.
struct Dimension {
  std::string name;
  bool ordered = true;     ///< else levels are only equal or different
  bool derived = false;    ///< follows from other dimensions
  std::vector<double> at;  ///< each level's place, 0 to 1; not a number where it has none
  bool grid = false;       ///< the places are those of `grid_steps`, then perhaps a level without a place

  std::size_t levels() const { return at.size(); }
};

using Level = std::uint32_t;

/// A dimension with more levels has no tables of pairs of levels.
inline constexpr std::size_t max_tabulated_levels = 256;
/// Ordered levels of a dimension with more than `max_tabulated_levels` are rounded to so many steps from 0 to
/// 1. Neighbouring steps are correlated to 2e-5 of 1 at the least length, below the least noise.
inline constexpr std::size_t grid_steps = 4096;

/// Turns configurations into levels of dimensions.
///
/// A parameter with two values or more is a dimension: ordered where its values are numbers (half by their
/// logarithms, half by their ranks, where all are positive; by their ranks else), unordered where they are
/// texts, truth values, or at most four numbers that include zero or less, which are switches more often than
/// amounts. Where a parameter does not exist it has a level of its own, the last, without a place.
///
/// Derived dimensions hold what products and ratios of parameters have in common. How often 2 divides a
/// parameter that is not all powers of two: multiples of a warp, of a line, of what divides an extent are
/// kinds of their own, not only amounts. And where parameters are known to be extents of the block, the
/// logarithm of its threads and how often 2 divides them.
///
/// Ordered dimensions with more than `max_tabulated_levels` levels are rounded to a grid, so that the memory
/// and the time of a model do not depend on how many values a parameter has.
class Encoding {
 public:
  /// The space must outlive it. Without `derived` parameters alone are dimensions.
  explicit Encoding(const SearchSpace& space, bool derived = true);

  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  std::size_t size() const { return dimensions_.size(); }

  /// Returns the levels of a configuration, one a dimension.
  void encode(ConfigurationId id, std::span<Level> levels) const;
  std::vector<Level> encode(ConfigurationId id) const;
  bool knows_threads() const { return !thread_parameters_.empty(); }
  /// Returns the threads of a block by the parameters with Role::threads, or nothing where there are none.
  std::optional<double> threads(ConfigurationId id) const;

 private:
  /// A dimension that follows from one parameter's value.
  struct Image {
    std::size_t parameter;
    std::vector<Level> levels;  ///< by the value's index; the last one where the parameter does not exist
  };

  void add_parameter(std::size_t parameter);
  void add_alignment(std::size_t parameter);
  /// Adds the dimensions where they are asked for; the number of threads is known in any case.
  void add_threads(bool as_dimensions);
  /// Adds the dimensions of the threads for what their product can be.
  void add_thread_dimensions();
  /// Sets all that the product can be; returns false where that is more than `max_tabulated_levels`.
  bool list_thread_values();
  Level threads_level(double threads) const;
  double threads_of(const std::vector<int>& indices) const;

  const SearchSpace& space_;
  std::vector<Dimension> dimensions_;
  std::vector<Image> images_;                   ///< of the first dimensions
  std::vector<std::size_t> thread_parameters_;  ///< with Role::threads and positive numbers
  std::vector<double> thread_values_;           ///< all that their product can be, increasing; or none
  double min_threads_ = 1, max_threads_ = 1;    ///< bounds of their product
  std::size_t thread_dimensions_ = 0;           ///< the last ones
};

}  // namespace tune::search
