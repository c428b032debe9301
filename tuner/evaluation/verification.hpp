// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "tuner/backends/backend.hpp"
#include "tuner/evaluation/reference_data.hpp"
#include "tuner/problem/problem.hpp"

/// Whether what a configuration computes is right. All that checks on a device goes through here.
namespace tune {

/// Equal text: the same machine code, launched in the same way.
std::string executed_code(const LaunchPlan& plan, const Binary& binary);

/// Runs a prepared plan on the inputs and checks all that can be checked: that nothing was written outside
/// its buffer, that the inputs are as they were, every element of every output. The largest error, or the
/// failure.
Result<double> check(PreparedPlan& prepared, const LaunchPlan& plan, const ReferenceData& reference_data);

/// Compiles a plan, runs it on the inputs, checks all that can be checked, and gives the outputs in the types
/// that they have on the device.
Result<TensorSet> run_outputs(const LaunchPlan& plan, const ReferenceData& reference_data, Backend& backend);

/// The outputs of the problem's `reference_plan` on these inputs, as f64; empty where it has none, and where
/// the plan fails and replaces `reference`. Throws Error where it fails and does not.
TensorSet run_reference(const Problem& problem, const Instance& instance, const TensorSet& inputs,
                        Backend& backend, const KernelSources& sources);

/// What the checks of a configuration found where all of them passed.
struct CheckedError {
  double largest = 0;    ///< |out - ref| over all sizes, inputs and elements
  double tolerance = 0;  ///< that it was held against at the last size
};

/// Checks the configurations of one problem on one backend. Inputs and references are computed once a size
/// and seed.
class Verification {
 public:
  /// All must outlive this. `device_work`, where it is given, is odd while kernels of this run on the device,
  /// and another number after every time they did.
  Verification(const Problem& problem, Backend& backend, const KernelSources& sources,
               std::atomic<std::uint64_t>* device_work = nullptr);

  /// The configuration at each of these sizes with the inputs of both seeds. `plan` and `binary` are those of
  /// the size that is tuned: where a size needs the same source, its binary serves. A failure names the size.
  Result<CheckedError> check_at(std::span<const Instance> sizes, const Configuration& configuration,
                                const LaunchPlan& plan, const Binary& binary);
  /// Valid as long as this object.
  const ReferenceData& reference_data(const Instance& instance, std::uint64_t seed) {
    return *reference_cache_.at(instance, seed);
  }
  /// Seconds that inputs and references took so far.
  double reference_seconds() const { return reference_cache_.seconds(); }

 private:
  const Problem& problem_;
  Backend& backend_;
  const KernelSources& sources_;
  std::atomic<std::uint64_t>* device_work_;
  ReferenceCache reference_cache_;
};

}  // namespace tune
