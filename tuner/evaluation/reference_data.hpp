// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/runner.hpp"
#include "tuner/problem/problem.hpp"

namespace tune {

/// What a check at one size, with the inputs of one seed, compares with.
struct ReferenceData {
  TensorSet inputs;
  TensorSet reference;
  Tolerance tolerance;  ///< the problem's
};

/// Adds a share of the largest value of the reference to the tolerance, and bounds of buffers, that ask for
/// it.
void apply_relative(Tolerance& tolerance, const TensorSet& reference);

/// The largest absolute error that any output may have.
double widest(const Tolerance& tolerance);

/// Computes outputs as f64 by the problem's `reference_plan`.
using RunReference = std::function<TensorSet(const Instance& instance, const TensorSet& inputs)>;

/// Inputs and references of a problem, computed once a size and seed and kept.
class ReferenceCache {
 public:
  /// The problem must outlive this, and what `run` uses.
  explicit ReferenceCache(const Problem& problem, RunReference run = {})
      : problem_(problem), run_(std::move(run)) {}

  /// Valid as long as this object.
  const ReferenceData& at(const Instance& instance, std::uint64_t seed);
  /// Seconds that computing them took so far.
  double seconds() const { return seconds_; }

 private:
  const Problem& problem_;
  RunReference run_;
  std::map<std::pair<std::string, std::uint64_t>, ReferenceData>
      known_;  ///< by the instance's key and the seed
  double seconds_ = 0;
};

/// The outputs of the problem's `reference_plan` on these inputs, as f64; empty where it has none, and where
/// the plan fails and replaces `reference`. Throws Error where it fails and does not.
TensorSet run_reference(const Problem& problem, const Instance& instance, const TensorSet& inputs,
                        Backend& backend, const KernelSources& sources);

/// What the plan's outputs are held against: its own tolerance, else the problem's.
const Tolerance& tolerance_of(const LaunchPlan& plan, const ReferenceData& reference_data);

/// Runs a prepared plan on an expectation's inputs and checks all that can be checked: that nothing was
/// written outside its buffer, that the inputs are as they were, every element of every output. The largest
/// error, or the failure.
Result<double> check(PreparedPlan& prepared, const LaunchPlan& plan, const ReferenceData& reference_data);

}  // namespace tune
