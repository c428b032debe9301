// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tune::reports {

/// A marked value of an axis.
struct Tick {
  double at = 0;
  std::string label;
};

/// An axis of a plot: where a value lies, and what is written beside it.
struct Axis {
  enum class Kind { linear, logarithmic, categories };

  std::string name;       ///< `time`
  std::string unit = {};  ///< without a prefix: `s`; empty for none
  Kind kind = Kind::linear;
  double low = 0, high = 1;
  double scale = 1;  ///< one of the shown unit: 1e-3 for ms
  std::string prefix = {};
  std::vector<std::string> categories = {};  ///< that of place i has the value i
  std::vector<double> values = {};           ///< the only ones that are marked; empty: round numbers

  /// From 0 at the lower end to 1.
  double place(double value) const;
  /// `time (ms)`
  std::string title() const;
  /// Round values, about `most` at most, or the given ones; categories in order.
  std::vector<Tick> ticks(std::size_t most) const;
};

/// An axis that has all values, which must be positive, with a little room.
Axis log_axis(std::string name, std::string unit, const std::vector<double>& values);
/// From 0 to the largest value, or from the smallest one with a little room.
Axis linear_axis(std::string name, std::string unit, const std::vector<double>& values,
                 bool from_zero = true);
/// The first one is at the lower end.
Axis category_axis(std::string name, std::vector<std::string> categories);

/// Up to four significant digits; powers of ten for very large and very small values.
std::string tick_text(double value);

}  // namespace tune::reports
