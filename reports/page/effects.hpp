// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "reports/page/value_table.hpp"

namespace tune::reports {

/// The configurations with one value of a parameter.
struct ValueEffect {
  std::size_t count = 0;
  std::size_t best = 0;  ///< row of the first in the ranking
  double median = 0;     ///< of what the objective minimises
};

/// The effect of one parameter on the value of the objective.
struct ParameterEffect {
  std::size_t count = 0;            ///< measured configurations that have it
  std::vector<ValueEffect> values;  ///< as in MeasuredParameter; every value was measured
  /// Main effect: the share of the variance of the logarithm that is explained by this parameter alone, among
  /// the configurations that have it, less what as many values would explain by chance (epsilon squared of a
  /// one-way analysis of variance). Nothing with one value, or with no more configurations than values.
  std::optional<double> importance;
};

/// One for each parameter, exact over all measured configurations.
std::vector<ParameterEffect> parameter_effects(const ValueTable& table);

/// Pairs are formed of parameters with at most this many values.
inline constexpr std::size_t max_pair_values = 40;

/// The two parameters whose values together explain most of the variance (as above); nothing where no two
/// have two values or more.
std::optional<std::pair<std::size_t, std::size_t>> strongest_pair(const ValueTable& table);

/// Rows that differ from the first in the value of exactly one parameter.
std::vector<std::size_t> neighbours_of_winner(const ValueTable& table);

}  // namespace tune::reports
