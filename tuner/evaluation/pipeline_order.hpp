// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace tune {

/// Which of a queue of configurations a device takes next, and how many keep it and the compilers busy: the
/// same for a device and for a recording that stands for one.

/// The place of a configuration that is ready, if one may be taken now, or of the first one that is waited
/// for.
struct NextInQueue {
  std::optional<std::size_t> ready = std::nullopt, awaited = std::nullopt;
};

/// Returns the first that is ready, once each one before it is overdue.
template<class Queue, class IsReady, class IsOverdue>
NextInQueue next_in_queue(const Queue& queue, const IsReady& is_ready, const IsOverdue& is_overdue) {
  std::size_t place = 0;
  for (const auto& one : queue) {
    if (is_ready(one)) return {.ready = place};
    if (!is_overdue(one)) return {.awaited = place};
    ++place;
  }
  return {};
}

/// Seconds from its submission after which the following configurations overtake one that still compiles.
inline constexpr double compile_patience = 0.1;

/// The running means of what compilers and device take for an evaluation: later ones count for more.
class PipelineLoad {
 public:
  /// A device time of 0: it was not needed.
  void add(double compile_seconds, double device_seconds) {
    if (device_seconds > 0) add_to(device_, device_seconds);
    add_to(compile_, compile_seconds);
  }
  /// Returns as many as the devices evaluate while one compiles, and one more for each; a quarter more than
  /// there are compilers where these are the bottleneck. Nothing where nothing is known.
  std::optional<std::size_t> in_flight(unsigned compilers, std::size_t devices = 1) const {
    if (!compile_ || !device_) return std::nullopt;
    const std::size_t all_compilers = compilers + compilers / 4 + 1 + devices;
    const auto count = static_cast<double>(devices);
    const double needed = std::ceil(count * *compile_ / *device_) + count;
    return needed < static_cast<double>(all_compilers) ? static_cast<std::size_t>(needed) : all_compilers;
  }
  /// Returns the most configurations that the queue needs, whatever they take: one that compiles ten times as
  /// long as the others must not leave the others idle.
  static std::size_t window(unsigned compilers) { return 4 * std::size_t{compilers}; }

 private:
  static void add_to(std::optional<double>& mean, double seconds) {
    constexpr double weight_of_latest = 0.15;
    mean = mean ? (1 - weight_of_latest) * *mean + weight_of_latest * seconds : seconds;
  }
  std::optional<double> compile_, device_;
};

}  // namespace tune
