// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/evaluation/reference_data.hpp"
#include "tuner/evaluation/small_run.hpp"
#include "tuner/problem/problem.hpp"

/// Checks that a configuration computes the right results on a device.
namespace tune {

/// Returns equal texts for the same machine code, launched in the same way.
std::string executed_code(const LaunchPlan& plan, const Binary& binary);

/// A checked execution that was right.
struct CheckedRun {
  double error = 0;    ///< the largest |out - ref|
  double seconds = 0;  ///< that the steps took on the device
};

/// Runs a prepared plan on the inputs and checks that nothing was written outside of the buffers, that the
/// inputs are unchanged, and every element of every output.
Result<CheckedRun> check(PreparedPlan& prepared, const LaunchPlan& plan, const ReferenceData& reference_data);

/// Call it after `measure`: fills the outputs with poison, executes the plan once more on what the timed
/// executions left, and checks as `check` does. A kernel that does less from its second execution on, or that
/// only then writes where it must not, fails. Outputs of plans that also read them (BufferFill::contents)
/// hold other values after each execution: of such plans, only guards and inputs are checked.
Result<double> check_after_timing(PreparedPlan& prepared, const LaunchPlan& plan,
                                  const ReferenceData& reference_data);

/// Returns the outputs of the problem's `reference_plan` on these inputs, as f64; nothing where there is no
/// such plan, or where it fails and replaces `reference`. Throws Error where it fails and does not.
TensorSet run_reference(const Problem& problem, const Instance& instance, const TensorSet& inputs,
                        Backend& backend, const KernelSources& sources);

/// The error of a configuration that passed its checks.
struct CheckedError {
  double largest = 0;               ///< |out - ref| over all sizes, inputs and elements
  double tolerance = 0;             ///< at the last size
  std::vector<SmallRun> runs = {};  ///< one for each size
};

/// Checks the configurations of one problem on one backend.
class Verification {
 public:
  /// All must outlive this. `device_work` (may be null) is odd while kernels of this run on the device, and
  /// counts up each time they begin and end. `references` are shared with other devices.
  Verification(const Problem& problem, Backend& backend, const KernelSources& sources,
               std::atomic<std::uint64_t>* device_work = nullptr,
               std::shared_ptr<ReferenceCache> references = nullptr);
  Verification(const Verification&) = delete;
  Verification& operator=(const Verification&) = delete;

  /// Returns the binary of a request.
  using Compile = std::function<Result<Binary>(const CompileRequest& request)>;

  /// Checks the configuration at each of these sizes with the inputs of both seeds. `plan` and `binary` are
  /// those of the size that is tuned: sizes with the same source use that binary, others what `compile`
  /// returns, by default the backend's compiler. A failure names the size.
  Result<CheckedError> check_at(std::span<const Instance> sizes, const Configuration& configuration,
                                const LaunchPlan& plan, const Binary& binary, const Compile& compile = {});
  /// Runs the configuration with the inputs of the first seed, checks it and returns the outputs, in the
  /// types that they have on the device.
  Result<TensorSet> outputs(const Instance& instance, const Configuration& configuration);
  std::shared_ptr<const ReferenceData> reference_data(const Instance& instance, std::uint64_t seed);
  /// Remembers how large the tolerance of a checked plan is beside the results; `check_at` does so itself.
  void note(const LaunchPlan& plan, const ReferenceData& reference_data) {
    references_->note(plan, reference_data);
  }
  /// See ReferenceCache.
  std::string notice() const { return references_->notice(); }
  /// Returns the seconds that inputs and references took so far: to compute them, or to wait for them.
  double reference_seconds() const { return reference_seconds_; }

 private:
  const Problem& problem_;
  Backend& backend_;
  const KernelSources& sources_;
  std::atomic<std::uint64_t>* device_work_;
  std::shared_ptr<ReferenceCache> references_;
  RunReference run_;
  double reference_seconds_ = 0;
};

}  // namespace tune
