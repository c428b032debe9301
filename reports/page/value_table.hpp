// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/data/report_data.hpp"

namespace tune::reports {

/// A parameter with its measured values, numbers in order, texts by the alphabet.
struct MeasuredParameter {
  std::string name;
  std::vector<search::Value> values;
  bool numeric = false;  ///< all of them are integers or real numbers
};

/// What a kernel needs, as far as charts show it.
struct ShownResources {
  int registers = 0;      ///< a thread
  int spilled_bytes = 0;  ///< a thread
  int shared_bytes = 0;   ///< a block
  double occupancy = 0;
};

/// What several evaluations took together.
struct PhaseSums {
  std::size_t count = 0;
  PhaseTimes phases;  ///< seconds
};

/// The measured configurations of a section in columns, the best first: about 50 bytes for each, and 4 for
/// each of its parameters.
struct ValueTable {
  std::vector<MeasuredParameter> parameters;  ///< in the order of declaration, as far as configurations tell
  std::size_t rows = 0;                       ///< measurements with a value of the objective
  /// By parameter, then by row: the value's index, -1 where the parameter does not exist.
  std::vector<std::vector<int>> levels;
  std::vector<double> values;  ///< what the section's objective minimises
  std::vector<double> seconds;
  std::vector<double> errors;  ///< the largest of each
  std::vector<bool> tied;      ///< with the winner
  std::vector<std::optional<ShownResources>> resources;
  std::vector<FrontValues> both;  ///< by a front; else empty
  /// By name, then by row; NaN where a row has none.
  std::vector<std::pair<std::string, std::vector<double>>> metrics;
  /// The parameter that names the algorithm: `variant`, else the first text with two to eight values.
  std::optional<std::size_t> group;
  /// By the value of that parameter, failures included; `all`: those without it.
  std::map<std::string, PhaseSums> costs;

  int level(std::size_t parameter, std::size_t row) const { return levels[parameter][row]; }
};

/// Reads all evaluations of the section.
ValueTable value_table(const Section& section);

}  // namespace tune::reports
