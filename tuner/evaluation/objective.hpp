// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  const Metrics* recorded = nullptr;  ///< what was measured, or another program recorded, beside the time
};

/// A metric of the problem, or a formula over metrics, that is minimised or maximised.
struct MetricObjective {
  std::string name;  ///< or the formula
  bool maximised = false;
  bool needs_energy = false;
  bool needs_counters = false;  ///< of the processor
  /// Returns the metric, or nothing where it needs a figure that is not known. Empty where only the name is
  /// known, as of a stored run.
  std::function<std::optional<double>(const MeasuredFigures&)> value = {};
};

/// The quantity to minimise: seconds, joules, or their product (the energy-delay product), an execution; or a
/// metric of the problem. Or a Pareto front: two quantities, of which no configuration of the front is worse
/// in both than another one. Where one number must rank, that is their product.
class Objective {
 public:
  enum Kind { time, energy, edp, by_metric, front };

  // NOLINTNEXTLINE(google-explicit-constructor): `Objective::time` is an objective
  Objective(Kind kind = time) : kind_(kind) {}
  explicit Objective(MetricObjective metric)
      : kind_(by_metric), metric_(std::make_shared<const MetricObjective>(std::move(metric))) {}
  Objective(Objective first, Objective second);

  Kind kind() const { return kind_; }
  /// Null where the objective is no metric.
  const MetricObjective* of_metric() const { return metric_.get(); }
  /// The two quantities of a front; null where the objective is a single one.
  const std::array<Objective, 2>* of_front() const { return parts_.get(); }
  /// Returns the objective with other functions for its metrics, in a front too.
  Objective with(const std::function<MetricObjective(const MetricObjective&)>& other) const;
  bool needs_energy() const;
  bool needs_counters() const;
  /// Returns what users are shown of a value that is minimised: of a maximised metric the metric itself.
  double shown(double value) const { return metric_ && metric_->maximised ? 1 / value : value; }
  /// `s`, `J`, `Js`; empty of a metric and a front.
  std::string_view unit() const;
  /// Puts a value in words: `1.04 ms`, `3.2 J`; of a metric `812.5`, as the metric itself is.
  std::string value_text(double value) const;
  /// By names.
  friend bool operator==(const Objective& a, const Objective& b);

 private:
  Kind kind_;
  std::shared_ptr<const MetricObjective> metric_ = nullptr;
  std::shared_ptr<const std::array<Objective, 2>> parts_ = nullptr;
};

/// `time`, `energy`, `edp`, `min:NAME`, `max:NAME`, `pareto:A,B` of two of these: as stored and as typed.
std::string to_string(const Objective& objective);
/// `time`, `energy`, `edp`, or the name of the metric.
std::string name_of(const Objective& objective);
/// In a front, a bare name is a metric to minimise. Throws std::invalid_argument for an unknown name. A
/// metric has no function yet.
Objective objective_from_string(std::string_view name);

/// The facts that metrics are formulas of (Problem::metrics).
Facts facts_of(const MeasuredFigures& figures);

/// The metrics that the problem defines, and what its kernels or commands are measured by besides.
std::vector<MetricInfo> known_metrics(const Problem& problem);
/// Returns what is wrong with a formula over these metrics and the facts, or an empty text.
std::string formula_mistake(const std::string& formula, const std::vector<std::string>& metrics);

/// Returns the objective with the function of its metric: one of known_metrics, else a formula over these and
/// facts. `problem` must outlive it. Throws UsageError where it is neither.
Objective objective_of(const Objective& named, const Problem& problem, const Instance& instance);
/// The metric is one that was recorded beside the times, or a formula over such metrics.
Objective recorded_objective(const Objective& named);

/// Returns what is minimised: of a metric that is maximised, its inverse; of a front the product of both.
/// Nothing where it needs an energy that is not known (0), and where a metric is not positive or its formula
/// fails.
std::optional<double> objective_value(const MeasuredFigures& figures, const Objective& objective);

/// What is minimised of both quantities of a front.
using FrontValues = std::array<double, 2>;
/// Nothing where the objective is no front, or one of the two is not known.
std::optional<FrontValues> front_values(const MeasuredFigures& figures, const Objective& objective);
/// True where the first is at least as small in both, and smaller by more than this share in one.
bool dominates(const FrontValues& one, const FrontValues& other, double share = 0);
/// Returns the indices of the values that no other dominates, from the smallest first quantity to the
/// largest; of equal ones the first.
std::vector<std::size_t> front_of(const std::vector<FrontValues>& values);
/// `time 1.04 ms, memory 3.2e+06`.
std::string values_text(const FrontValues& values, const Objective& objective);

}  // namespace tune
