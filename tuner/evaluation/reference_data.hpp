// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tuner/problem/problem.hpp"

namespace tune {

/// Seeds of the inputs: every configuration is checked with both at small odd sizes and with the first at the
/// size itself, the top candidates with the second there too. A kernel that is right for one input by luck is
/// not for two.
inline constexpr std::uint64_t check_seeds[] = {1, 2};

/// What a check at one size, with the inputs of one seed, compares with.
struct ReferenceData {
  TensorSet inputs;
  TensorSet reference;
  Tolerance tolerance;  ///< the problem's, for plans that have none of their own
};

/// The tolerance of a plan's outputs: its own, else the problem's. Shares of the largest value of the
/// reference are added up; `computed` has outputs that only a kernel computed.
Tolerance tolerance_of(const LaunchPlan& plan, const ReferenceData& reference_data,
                       const TensorSet& computed = {});

/// The largest absolute error that any output may have.
double widest(const Tolerance& tolerance);

/// Computes outputs as f64 by the problem's `reference_plan`.
using RunReference = std::function<TensorSet(const Instance& instance, const TensorSet& inputs)>;

/// Inputs and references of a problem, computed once a size and seed and kept.
class ReferenceCache {
 public:
  /// The problem must outlive this, and what `run` uses. Without `run`, a reference lacks the outputs that
  /// only the problem's `reference_plan` computes.
  explicit ReferenceCache(const Problem& problem, RunReference run = {})
      : problem_(problem), run_(std::move(run)) {}

  std::shared_ptr<const ReferenceData> at(const Instance& instance, std::uint64_t seed);
  /// Seconds that computing them took so far.
  double seconds() const { return seconds_; }

 private:
  const Problem& problem_;
  RunReference run_;
  /// By the instance's key and the seed.
  std::map<std::pair<std::string, std::uint64_t>, std::shared_ptr<const ReferenceData>> known_;
  double seconds_ = 0;
};

}  // namespace tune
