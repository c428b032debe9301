// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "tuner/core/session.hpp"

namespace tune::cli {

/// Shows a run on standard error: on a terminal one line that is rewritten, else a plain line for every new
/// best and every tenth of the way.
class ProgressDisplay : public SessionObserver {
 public:
  enum class Mode { live, plain, quiet };
  /// `limit` in seconds (0: unknown); `items` and `item` give the rate.
  ProgressDisplay(std::ostream& out, Mode mode, double limit, double items, std::string item);
  /// Shows the last state, if it was not yet, and ends the live line.
  ~ProgressDisplay() override;

  void on_evaluation(const Evaluation& evaluation, const Progress& progress) override;
  void on_finals(std::size_t finalists) override;
  bool stop_requested() override;

 private:
  std::string line(const Progress& progress) const;
  void show(const std::string& line);

  std::ostream& out_;
  Mode mode_;
  double limit_;
  double items_;
  std::string item_;
  double best_ = 0;         ///< seconds; 0 until there is one
  double last_shown_ = -1;  ///< seconds since the start
  std::uint64_t next_tenth_ = 1;
  bool open_line_ = false;
  std::string pending_;  ///< line of the last evaluation, where it was not shown
};

/// Live on a terminal, plain elsewhere.
ProgressDisplay::Mode display_mode(bool quiet);

}  // namespace tune::cli
