// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/text_style.hpp"

namespace tune::cli {

/// Lines at the end of a terminal that are written anew. They leave nothing behind, also where the terminal
/// was made narrower in between and has broken them.
class LiveLines {
 public:
  /// `style` is asked before each drawing.
  LiveLines(std::ostream& out, std::function<TextStyle()> style) : out_(out), style_(std::move(style)) {}
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;
  ~LiveLines() { erase(); }

  TextStyle style() const { return style_(); }
  /// Replaces what was drawn. Longer lines are cut.
  void draw(const std::vector<std::string>& lines);
  void erase();

 private:
  std::string erasure(std::size_t columns) const;

  std::ostream& out_;
  std::function<TextStyle()> style_;
  std::vector<std::size_t> widths_;  ///< of the lines that are drawn
};

/// What a run shows while it goes on.
struct RunView {
  std::uint64_t evaluations = 0, planned = 0, failed = 0;
  double seconds = 0, seconds_allowed = 0;  ///< of a budget of time; 0: there is none
  double rate = 0;                          ///< evaluations a second; 0: unknown
  double seconds_left = 0;                  ///< 0: unknown
  std::string phase;                        ///< what goes on right now; may be empty
  std::vector<std::string> best;            ///< its figures, the most important first; may be empty
  std::vector<double> history;              ///< the best so far, in the order of the run
};

/// Two lines: the way so far, and the best; one before there is a best. Leaves out what does not fit.
std::vector<std::string> live_lines(const RunView& view, const TextStyle& style);

/// `4.1/12 s`, `1 min 5 s/5 min 0 s`.
std::string spent_text(double seconds, double allowed);

/// The values as a line of so many columns: low ones low, on a logarithmic scale.
std::string sparkline(const std::vector<double>& values, std::size_t columns, bool unicode);

}  // namespace tune::cli
