// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <thread>
#include <vector>

#include "cli/output/live_view.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/session/session.hpp"

namespace tune::cli {

/// While it lives, Ctrl-C and SIGTERM only set a flag, so that a run ends cleanly with its summary; a second
/// Ctrl-C, a fifth of a second later, ends the program at once. One within the life of another does nothing.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
  static bool interrupted();
};

/// From now on SIGINT, SIGTERM and SIGHUP remove the unfinished files of the program before they end it.
void leave_nothing_unfinished();

/// Watches the counting of a space: shows on a terminal how far it is after a second, and ends it by Ctrl-C.
class CountDisplay {
 public:
  CountDisplay();
  /// `most`: steps. Returns false once the user wants it to end.
  bool show(std::uint64_t steps, std::uint64_t most);

 private:
  Stopwatch watch_;
  double next_ = 1;  ///< seconds after which the line is written again
  LiveLines lines_;
};

/// The style of standard error.
TextStyle error_style();

/// Shows a run on standard error: on a terminal two lines that are rewritten, and vanish at the end;
/// elsewhere a line for a new best or a tenth of the way, at most one in two seconds; in verbose mode a line
/// for every evaluation once it is stored.
class ProgressDisplay : public SessionObserver {
 public:
  enum class Mode { live, plain, verbose, quiet };
  /// `limit` in seconds (0: unknown); `amount` of one solution (0: unknown) and the unit of its rate.
  ProgressDisplay(std::ostream& out, Mode mode, double limit, double amount, std::string unit,
                  Objective objective = Objective::time, std::function<TextStyle()> style = error_style);
  /// Shows the last state where that stays, if it was not shown yet.
  ~ProgressDisplay() override;

  void on_evaluation(const Evaluation& evaluation, const Progress& progress) override;
  void on_activity(Activity activity, std::size_t count) override;
  void on_news(const std::string& line) override { say(line); }
  void on_rerank(std::size_t top_k) override;
  bool stop_requested() override;
  /// Writes one line to standard error, above the live lines.
  void say(const std::string& line);

 private:
  std::string line(const Progress& progress) const;
  /// True where the best is another one than before.
  bool take_best(const Progress& progress);
  void tell(const Evaluation& evaluation, const Progress& progress);
  void show(const std::string& line);
  static double seconds_left(const Progress& progress);
  std::vector<std::string> best_texts() const;
  void take_view(const Progress& progress);
  void redraw();

  std::ostream& out_;
  Mode mode_;
  double limit_;
  double amount_;
  std::string unit_;
  Objective objective_;
  double best_ = 0;         ///< seconds; 0 until there is one
  double value_ = 0;        ///< the best's, by the objective
  double last_shown_ = -1;  ///< of a plain line: seconds of the session
  std::uint64_t next_tenth_ = 1;
  std::uint64_t told_ = 0;  ///< evaluations, one line each
  std::string pending_;     ///< the line of the last evaluation, until it is shown
  LiveLines lines_;
  RunView view_;
  std::vector<double> history_;  ///< the best after each evaluation, in seconds
  double seconds_of_call_ = 0;   ///< at the last evaluation
  Stopwatch watch_, since_view_;
  double last_drawn_ = -1;  ///< by `watch_`
  std::thread::id thread_ = std::this_thread::get_id();
};

/// Quiet or verbose where the user asks for it; else live on a terminal, plain elsewhere.
ProgressDisplay::Mode display_mode(bool quiet, bool verbose);

}  // namespace tune::cli
