// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "search/space/configuration.hpp"
#include "tuner/backends/kernel_resources.hpp"
#include "tuner/problem/problem.hpp"

namespace tune {

/// What was measured of a configuration, from which every objective follows.
struct MeasuredFigures {
  const search::Configuration& configuration;
  const std::optional<KernelResources>& resources;
  double seconds = 0;                 ///< an execution
  double joules = 0;                  ///< per execution; 0: not measured
  const Metrics* recorded = nullptr;  ///< what another program recorded beside the time
};

/// A metric of the problem that is minimised or maximised.
struct MetricObjective {
  std::string name;
  bool maximised = false;
  bool needs_energy = false;
  /// Returns the metric, or nothing where it needs a figure that is not known. Empty where only the name is
  /// known, as of a stored run.
  std::function<std::optional<double>(const MeasuredFigures&)> value = {};
};

/// The quantity to minimise: seconds, joules, or their product (the energy-delay product), an execution; or a
/// metric of the problem.
class Objective {
 public:
  enum Kind { time, energy, edp, by_metric };

  // NOLINTNEXTLINE(google-explicit-constructor): `Objective::time` is an objective
  Objective(Kind kind = time) : kind_(kind) {}
  explicit Objective(MetricObjective metric)
      : kind_(by_metric), metric_(std::make_shared<const MetricObjective>(std::move(metric))) {}

  Kind kind() const { return kind_; }
  /// Null where the objective is no metric.
  const MetricObjective* of_metric() const { return metric_.get(); }
  bool needs_energy() const;
  /// Returns what users are shown of a value that is minimised: of a maximised metric the metric itself.
  double shown(double value) const { return metric_ && metric_->maximised ? 1 / value : value; }
  /// `s`, `J`, `Js`; empty of a metric.
  std::string_view unit() const;
  /// Puts a value in words: `1.04 ms`, `3.2 J`; of a metric `812.5`, as the metric itself is.
  std::string value_text(double value) const;
  /// By names.
  friend bool operator==(const Objective& a, const Objective& b);

 private:
  Kind kind_;
  std::shared_ptr<const MetricObjective> metric_ = nullptr;
};

/// `time`, `energy`, `edp`, `min:NAME`, `max:NAME`: as stored and as typed.
std::string to_string(const Objective& objective);
/// Throws std::invalid_argument for an unknown name. A metric has no function yet.
Objective objective_from_string(std::string_view name);

/// The facts that metrics are formulas of (Problem::metrics).
Facts facts_of(const MeasuredFigures& figures);

/// Returns the objective with the function of its metric, which the problem defines. `problem` must outlive
/// it. Throws UsageError where the problem has no such metric.
Objective objective_of(const Objective& named, const Problem& problem, const Instance& instance);
/// The metric is one that another program recorded beside its times.
Objective recorded_objective(const Objective& named);

/// Returns what is minimised: of a metric that is maximised, its inverse. Nothing where it needs an energy
/// that is not known (0), and where a metric is not positive or its formula fails.
std::optional<double> objective_value(const MeasuredFigures& figures, const Objective& objective);

}  // namespace tune
