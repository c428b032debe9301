// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tuner/backends/binary.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/measurement/timing.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune {

/// A plan made ready on a device: loaded, with its memory. One at a time; it ends with the object.
///
/// Every call may end in Failure{crash} (a fault of the kernel, or the death of the process that runs it) or
/// Failure{timeout}; no further call of this object succeeds then, and the runner goes on with the next plan.
class PreparedPlan {
 public:
  virtual ~PreparedPlan() = default;

  /// One entry a kernel launch, in the plan's order, occupancy included; none for the setup, which is not
  /// timed. Fourier transforms have none: which kernels they are made of, only their library knows.
  virtual const std::vector<KernelResources>& resources() const = 0;
  /// Fills inputs, poisons outputs and scratch (every byte 0xff: NaN in floating point; scratch that asks for
  /// zeros gets them) and the guards around all buffers, runs the setup and all launches and transforms once
  /// and waits. Failure{launch}.
  virtual Result<void> run_checked(const TensorViews& inputs) = 0;
  /// After run_checked: Failure{verify} where a kernel wrote outside a buffer (`out of bounds`) or changed an
  /// input (`changed input`), naming the buffer and the first place.
  virtual Result<void> check_memory() = 0;
  /// Every element of an output against a reference of f64 elements and the logical tensor's extents.
  virtual Result<Comparison> compare(std::string_view buffer, const TensorView& reference,
                                     const Bounds& bounds) = 0;
  /// The logical tensor of an output; valid until the next call of anything here.
  virtual Result<TensorView> fetch(std::string_view buffer) = 0;
  /// Times all launches and transforms together, without the setup. Failure{launch}.
  virtual Result<Timing> measure(const MeasureOptions& options) = 0;
};

/// Carries plans out on one device. Not thread-safe.
class Runner {
 public:
  virtual ~Runner() = default;
  /// What each kernel launch takes, as PreparedPlan::resources: loads the binary and asks for occupancy, but
  /// takes no memory. Failure{resources} where the configuration cannot run here (too many threads,
  /// registers, too much shared memory), with demand and limit. What was prepared before stays as it is.
  virtual Result<std::vector<KernelResources>> check_resources(const LaunchPlan& plan,
                                                               const Binary& binary) = 0;
  /// Loads the binary, checks the resources and takes the memory. Failure{resources} as check_resources, and
  /// where device memory is lacking; nothing has been launched then. One plan at a time: what was prepared
  /// before must not be used again.
  virtual Result<std::unique_ptr<PreparedPlan>> prepare(const LaunchPlan& plan, const Binary& binary) = 0;
};

/// A plan whose kernels are loaded. It must not outlive the runner that loaded it.
class LoadedPlan {
 public:
  virtual ~LoadedPlan() = default;
};

/// Launches plans on streams and memory of the program that this is part of, and times them without waiting:
/// unlike Runner, which has memory of its own. Which memory and values, every call says anew.
class StreamRunner {
 public:
  /// Where the value of each argument of a kernel lies, in the kernel's order: an address of device memory
  /// for a buffer, a number for a scalar.
  using Arguments = std::vector<void*>;

  virtual ~StreamRunner() = default;
  /// Failure{resources} or {launch} where it cannot run here. May be called while another thread launches.
  virtual Result<std::unique_ptr<LoadedPlan>> load(const LaunchPlan& plan, const Binary& binary) = 0;
  /// Whether a call on this stream can be timed now: one that is recorded into a graph cannot.
  virtual bool can_time(void* stream) = 0;
  /// Enqueues all launches and returns at once; the values are copied. `ticket` above 0: to be timed, and
  /// asked for under that number. Failure{launch} where the first launch was refused: nothing was enqueued
  /// then. Throws Error where a later one was, and for a device that is lost.
  virtual Result<void> launch(LoadedPlan& plan, void* stream, std::span<const Arguments> arguments,
                              std::uint64_t ticket) = 0;
  /// Seconds that the timed call took on the device; nothing while it has not ended. Never waits. A ticket is
  /// answered once. Failure{crash} where the device is lost.
  virtual Result<std::optional<double>> elapsed(std::uint64_t ticket) = 0;
};

/// A device with its compiler and runner: `cuda` is real, others check the same sources on the CPU.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const DeviceProperties& properties() const = 0;
  virtual const Compiler& compiler() const = 0;
  virtual Runner& runner() = 0;
  virtual MachineState machine_state() = 0;
};

}  // namespace tune
