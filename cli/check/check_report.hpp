// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/input/options.hpp"
#include "cli/output/progress.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/base/units.hpp"
#include "tuner/evaluation/evaluation.hpp"

namespace tune::cli {

/// When a check ends before all configurations are checked: by Ctrl-C, or when its time, which begins here,
/// is over.
class CheckEnd {
 public:
  explicit CheckEnd(std::optional<double> seconds) : seconds_(seconds) {}

  bool is_over() const { return InterruptGuard::interrupted() || time_is_over(); }
  /// `interrupted`, `ended after 20 s`; empty where it goes on to its end.
  std::string reason() const {
    if (InterruptGuard::interrupted()) return "interrupted";
    return time_is_over() ? format("ended after {}", duration_text(*seconds_)) : std::string();
  }
  /// Takes a limit where the user gave none.
  void limit_to(double seconds) {
    if (!seconds_) seconds_ = seconds;
  }

 private:
  bool time_is_over() const { return seconds_ && since_start_.seconds() > *seconds_; }

  Stopwatch since_start_;
  std::optional<double> seconds_;
};

/// Counts what 'tune check' finds, and prints a line for each error, or everything as JSON at the end.
class CheckReport {
 public:
  /// `planned`: the number of configurations to check; `compared`: what results are compared with; empty if
  /// none are.
  CheckReport(Format form, std::size_t planned, std::string compared, const CheckEnd& end)
      : form_(form), planned_(planned), compared_(std::move(compared)), end_(end) {}

  /// Adds the result of a device or a compiler.
  void add(const Evaluation& evaluation);
  /// Adds the emulator's verdict on the configuration with this number; verdicts come in any order.
  void add(std::size_t number, const Configuration& configuration, const emulator::CheckVerdict& verdict);

  /// Prints the rest and returns the exit status. `what` tells what was done, `notice` what the user should
  /// know about the checks (Evaluator::notice); `more` is added to the JSON object. Throws Error where no
  /// configuration could be checked.
  int finish(std::string what, const std::string& notice = {},
             const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) const;

  double emulated_seconds() const { return emulated_seconds_; }

 private:
  /// Adds a line that may be the same for many configurations: it is printed once, at the end or now.
  /// `of`: the first configuration in brackets, empty for none.
  void group(const std::string& line, const std::string& of, bool now = false);
  void add_line(const Failure& failure, const Configuration& configuration);

  Format form_;
  std::size_t planned_;
  std::string compared_;
  const CheckEnd& end_;
  std::uint64_t checked_ = 0;
  std::uint64_t wrong_ = 0;
  std::uint64_t not_finished_ = 0;  ///< not among the wrong ones
  std::uint64_t cannot_run_ = 0;
  std::uint64_t not_emulated_ = 0;
  double emulated_seconds_ = 0;
  std::map<std::size_t, nlohmann::ordered_json> results_;  ///< by number
  struct Group {
    std::string line, first;
    std::uint64_t count = 0;
    bool is_printed = false;
  };
  std::vector<Group> groups_;
};

}  // namespace tune::cli
