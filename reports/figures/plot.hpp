// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/figures/axis.hpp"
#include "reports/figures/drawing.hpp"

namespace tune::reports {

/// Points in the values of the axes, and how they are shown. Colours, markers and dashes go by number: each
/// tells a series from others without the other two.
struct Series {
  enum class Kind {
    points,  ///< hollow
    dots,    ///< filled
    line,    ///< with markers
    curve,   ///< a line without markers
    step,    ///< a curve of steps, each at the new value
    bars,    ///< from 0 to x, on categories up
    range,   ///< a thin line that joins what belongs together
    limit,   ///< a dashed line across, by its number
    ring     ///< around points, with the labels
  };

  std::string name;  ///< in the legend; empty: not there
  Kind kind = Kind::line;
  std::size_t number = 0;
  std::vector<Point> points = {};
  std::vector<std::string> labels = {};  ///< of each point, or empty
};

struct Plot {
  Axis x, y;
  std::vector<Series> series;  ///< the lowest first
  double height = 0;           ///< of the frame, in points; 0: by the width
};

struct Frame {
  double left = 0, top = 0, right = 0, bottom = 0;
};

/// A drawn plot: the frame that its axes span, and the shapes within it.
struct DrawnPlot {
  Drawing drawing;
  Frame frame;
  std::size_t first_inside = 0, end_inside = 0;  ///< in the drawing's shapes: those of the series
};

/// Draws axes, series and a legend above, `width` points wide.
DrawnPlot drawn(const Plot& plot, double width);

inline constexpr double column_width = 240;  ///< 3.33 in
inline constexpr double page_width = 504;    ///< 7 in

}  // namespace tune::reports
