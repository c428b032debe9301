// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/evaluation/evaluation.hpp"

namespace tune {

/// Which of several devices measure alike, so that their times are of one ranking: each times a common
/// configuration at the start and again during the run, and its time is compared with that of the first
/// device. One that differs by more than `tolerance`, or fails, takes no part any more. Not thread-safe.
class DeviceEquality {
 public:
  static constexpr double tolerance = 0.02;
  /// The name under which the ratio is stored, with the measurement that it follows from.
  static constexpr const char* metric = "time_by_that_on_the_first_device";
  /// A comparison that does not fit is repeated: the median of so many counts.
  static constexpr std::size_t trials = 3;
  /// Evaluations of a device between two comparisons, which cost as much as evaluations.
  static constexpr std::size_t interval = 50;
  /// Failures in a row, none of them certain to come again, that make a device suspicious.
  static constexpr int suspicious = 3;

  /// `names`: `device 0`, for messages.
  explicit DeviceEquality(std::vector<std::string> names);

  /// The device that the others are compared with: the first one that takes part.
  std::size_t first() const;
  std::size_t taking_part() const;
  /// True for the first device and for those that were found equal to it, and do not seem to differ now.
  bool may_evaluate(std::size_t device) const;
  /// True where the next evaluation, or the incumbent, should become the common configuration.
  bool wants_round() const;
  /// Begins a comparison. `seconds`: of the common configuration on the first device, where it was just
  /// measured.
  void begin_round(std::optional<double> seconds = std::nullopt);
  /// True for a device that must time the common configuration before anything else.
  bool owes(std::size_t device) const;
  struct Verdict {
    std::string line = {};                                    ///< about a device that takes no part any more
    std::vector<std::pair<std::size_t, double>> ratios = {};  ///< to the first device, of those decided now
  };
  /// Takes the time of the common configuration on a device; nothing where it failed.
  Verdict add(std::size_t device, std::optional<double> seconds, const std::string& failure = {});
  /// Counts an evaluation. `is_doubtful`: it failed, and may not fail again.
  void count(std::size_t device, bool is_doubtful);
  /// Returns a line about it.
  std::string leave_out(std::size_t device, const std::string& why);

  std::vector<DeviceShare> shares() const;

 private:
  struct Device {
    std::string name;
    DeviceShare share;
    bool equal = false;
    bool in_round = false;  ///< its comparison is not over
    double seconds = 0;     ///< of the common configuration in this round; 0: not yet
    std::string failure;
    std::vector<double> ratios;  ///< of this round
    int doubtful = 0;            ///< failures in a row
  };
  void judge(std::size_t device, Verdict& verdict);
  bool takes_part(const Device& device) const { return device.share.left_out.empty(); }

  std::vector<Device> devices_;
  std::size_t since_round_ = 0;
};

}  // namespace tune
