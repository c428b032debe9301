// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/data/report_data.hpp"

namespace tune::reports {

/// A parameter with the values that were measured, numbers in order, texts by the alphabet.
struct MeasuredParameter {
  std::string name;
  std::vector<search::Value> values;
  bool numeric = false;  ///< all of them are integers or real numbers
};

/// The measured configurations of a section as numbers.
struct ValueTable {
  std::vector<MeasuredParameter> parameters;  ///< in the order of declaration, as far as configurations tell
  std::size_t rows = 0;                       ///< measurements, the best first
  /// By parameter, then by row: the value's index, -1 where the parameter does not exist.
  std::vector<std::vector<int>> levels;

  int level(std::size_t parameter, std::size_t row) const { return levels[parameter][row]; }
};

ValueTable value_table(const Section& section);

/// The parameter that says which algorithm it is: `variant`, or else the first text with two values or more.
std::optional<std::size_t> grouping(const ValueTable& table);

}  // namespace tune::reports
