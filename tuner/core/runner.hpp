// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tuner/core/binary.hpp"
#include "tuner/core/failure.hpp"
#include "tuner/core/launch_plan.hpp"

namespace tune {

/// How to time. A later stopping rule replaces the fixed number of samples.
struct MeasureOptions {
  int warmup = 2;
  int samples = 9;          ///< at least 7
  bool flush_cache = true;  ///< overwrite L2 before every launch
};

/// A plan made ready on a device: loaded, with its memory. One at a time; it ends with the object.
class PreparedPlan {
 public:
  virtual ~PreparedPlan() = default;

  /// One entry a launch, in the plan's order, occupancy included.
  virtual const std::vector<KernelResources>& resources() const = 0;
  /// Fills inputs, poisons outputs (every byte 0xff: NaN in floating point), runs all launches once and
  /// waits. Failure{launch}.
  virtual Result<void> run_checked(const TensorSet& inputs) = 0;
  /// The logical tensor of an output; valid until the next call of anything here.
  virtual Result<TensorView> fetch(std::string_view buffer) = 0;
  /// Seconds of all launches together, one value a sample. Failure{launch}.
  virtual Result<std::vector<double>> measure(const MeasureOptions& options) = 0;
};

/// Carries plans out on one device. Not thread-safe.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Loads the binary, asks for occupancy and takes the memory. Failure{resources} where the configuration
  /// cannot run here (too many threads, registers, too much shared memory, or device memory), with demand and
  /// limit; nothing has been launched then.
  virtual Result<std::unique_ptr<PreparedPlan>> prepare(const LaunchPlan& plan, const Binary& binary) = 0;
};

}  // namespace tune
