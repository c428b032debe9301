// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tuner/measurement/timing.hpp"

namespace tune {

/// A configuration that is at most this share slower than the incumbent is measured to the end: it may win
/// the re-ranking.
inline constexpr double racing_tolerance = 0.02;

/// Seconds from which on samples count as long: few of them suffice, shorter ones are cheap.
inline constexpr double long_sample = 5e-3;

/// The samples of one configuration so far.
struct SampleState {
  std::span<const double> sorted;  ///< seconds per execution, ascending
  /// Seconds that all executions of this configuration took on the device, flushes included.
  double device_seconds = 0;

  std::size_t count() const { return sorted.size(); }
};

/// One reason to take no further sample. Needs no clock.
class StoppingCriterion {
 public:
  /// A setting of the criterion, by name.
  struct Parameter {
    std::string_view name;
    double value;
  };

  virtual ~StoppingCriterion() = default;
  /// `precision`, `racing`, `sample limit`, `time limit`.
  virtual std::string_view name() const = 0;
  virtual std::vector<Parameter> parameters() const = 0;
  /// Returns why to stop now, or nothing.
  virtual std::optional<StopReason> decision(const SampleState& samples) const = 0;
  /// Returns the number of samples, above the present one, at which `decision` may change; nothing where that
  /// does not depend on their number.
  virtual std::optional<std::size_t> next_look(const SampleState& samples) const = 0;
};

/// Stops when the interval of the median is within a share of the median, on either side.
class PrecisionCriterion : public StoppingCriterion {
 public:
  PrecisionCriterion(double max_noise, std::size_t min_samples)
      : max_noise_(max_noise), min_samples_(min_samples) {}
  std::string_view name() const override { return "precision"; }
  std::vector<Parameter> parameters() const override;
  std::optional<StopReason> decision(const SampleState& samples) const override;
  std::optional<std::size_t> next_look(const SampleState& samples) const override;

 private:
  double max_noise_;
  std::size_t min_samples_;
};

/// Stops at a number of samples.
class SampleLimit : public StoppingCriterion {
 public:
  explicit SampleLimit(std::size_t max_samples) : max_samples_(max_samples) {}
  std::string_view name() const override { return "sample limit"; }
  std::vector<Parameter> parameters() const override;
  std::optional<StopReason> decision(const SampleState& samples) const override;
  std::optional<std::size_t> next_look(const SampleState&) const override { return max_samples_; }

 private:
  std::size_t max_samples_;
};

/// Stops when the device was busy for `max_seconds`, but not before `min_samples`.
class TimeLimit : public StoppingCriterion {
 public:
  TimeLimit(double max_seconds, std::size_t min_samples)
      : max_seconds_(max_seconds), min_samples_(min_samples) {}
  std::string_view name() const override { return "time limit"; }
  std::vector<Parameter> parameters() const override;
  std::optional<StopReason> decision(const SampleState& samples) const override;
  std::optional<std::size_t> next_look(const SampleState&) const override { return std::nullopt; }

 private:
  double max_seconds_;
  std::size_t min_samples_;
};

/// Stops a configuration that cannot become the fastest: it is pruned when its smallest sample is above the
/// incumbent's time by racing_tolerance and a slack, which falls from 7.5 % at three samples to nothing at
/// nine. A configuration that is really at most racing_tolerance slower loses all of nine comparisons with
/// probability 1/512 (0.5 % where a tenth of the samples are outliers), whatever the distribution; with fewer
/// samples the slack stands for the missing ones. One long sample suffices where it takes twice as long as
/// the incumbent, two where both are a third slower. The median of a pruned configuration is stored and
/// models learn from it: short samples go on until they are precise or at their limit. See docs/decisions
/// (0029 and 0030).
class RacingCriterion : public StoppingCriterion {
 public:
  RacingCriterion(double incumbent_seconds, PrecisionCriterion precision, SampleLimit limit)
      : incumbent_seconds_(incumbent_seconds), precision_(precision), limit_(limit) {}
  std::string_view name() const override { return "racing"; }
  std::vector<Parameter> parameters() const override;
  std::optional<StopReason> decision(const SampleState& samples) const override;
  std::optional<std::size_t> next_look(const SampleState& samples) const override;
  /// True for long samples that are slower than the incumbent by more than a slowed-down device explains.
  bool far_slower_than_incumbent(std::span<const double> samples) const;

 private:
  bool is_pruned_at(std::size_t count, const SampleState& samples) const;

  double incumbent_seconds_;
  PrecisionCriterion precision_;
  SampleLimit limit_;
};

/// Decides after each sample whether to stop: asks racing where there is an incumbent, then precision, the
/// limit of samples and that of time; the first criterion with a reason ends it.
class StoppingRule {
 public:
  explicit StoppingRule(const MeasureOptions& options);

  /// Adds a sample, in seconds an execution. Throws std::invalid_argument for a negative or infinite number.
  void add(double sample_seconds);
  /// Returns why to stop now, or nothing. `device_seconds_so_far` as SampleState::device_seconds.
  std::optional<StopReason> decision(double device_seconds_so_far) const;
  /// As RacingCriterion; false without an incumbent.
  bool far_slower_than_incumbent(std::span<const double> samples) const;
  /// Returns how many further samples may be enqueued before `decision` can change; at least 1.
  int next_batch() const;
  /// In the order in which they are asked.
  const std::vector<std::unique_ptr<StoppingCriterion>>& criteria() const { return criteria_; }

 private:
  std::vector<std::unique_ptr<StoppingCriterion>> criteria_;
  const RacingCriterion* racing_ = nullptr;  ///< one of them
  std::vector<double> sorted_;
};

}  // namespace tune
