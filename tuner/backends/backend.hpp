// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
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

/// A plan that is loaded on a device, with its memory. One at a time; the object releases both.
///
/// Every call may end in Failure{crash} (a fault of the kernel, or the death of the process that runs it) or
/// Failure{timeout}. No further call of this object succeeds then; the runner can prepare the next plan.
class PreparedPlan {
 public:
  virtual ~PreparedPlan() = default;

  /// Returns one entry for each kernel launch in the plan's order, occupancy included; none for the setup,
  /// which is not timed, and for Fourier transforms, whose kernels are unknown.
  virtual const std::vector<KernelResources>& resources() const = 0;
  /// Fills the inputs, poisons outputs and scratch (every byte 0xff, NaN in floating point; or zeros where
  /// scratch asks for them) and the guards around all buffers, runs the setup and all steps once and waits.
  /// Returns the seconds that the steps took on the device. Failure{launch}.
  virtual Result<double> run_checked(const TensorViews& inputs) = 0;
  /// Call it after run_checked. Poisons the outputs again and runs all steps once, without the setup, on what
  /// earlier executions left in inputs and scratch. Failure{launch}.
  virtual Result<void> run_again() = 0;
  /// Call it after run_checked. Failure{verify} where a kernel wrote outside a buffer (`out of bounds`) or
  /// changed an input (`changed input`); it names the buffer and the first place.
  virtual Result<void> check_memory() = 0;
  /// Compares every result in an output with a reference of f64 elements and the extents of its tensor, of
  /// which the output may hold a part.
  virtual Result<Comparison> compare(std::string_view buffer, const TensorView& reference,
                                     const Bounds& bounds) = 0;
  /// Returns the results in an output; valid until the next call of this object.
  virtual Result<TensorView> fetch(std::string_view buffer) = 0;
  /// Times all steps together, without the setup. Failure{launch}.
  virtual Result<Timing> measure(const MeasureOptions& options) = 0;
};

/// Carries plans out on one device. Not thread-safe.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Returns PreparedPlan::resources: loads the binary and asks for the occupancy, but takes no memory.
  /// Failure{resources} where the configuration cannot run here (too many threads, registers, too much shared
  /// memory), with demand and limit. A plan that was prepared before stays valid.
  virtual Result<std::vector<KernelResources>> check_resources(const LaunchPlan& plan,
                                                               const Binary& binary) = 0;
  /// Loads the binary, checks the resources and takes the memory, without a launch. Failure{resources} as
  /// check_resources, and where memory is lacking. A plan that was prepared before must not be used again.
  virtual Result<std::unique_ptr<PreparedPlan>> prepare(const LaunchPlan& plan, const Binary& binary) = 0;
  /// Where a runner can end calls under way, they end in Failure{crash, run_ended} once `stop` returns true;
  /// it is asked several times a second. Empty: never.
  virtual void stop_when(std::function<bool()> /*stop*/) {}
  /// Moves large tensors to where the runner needs them, so that they lie in memory once. Views of them end.
  virtual void place(TensorSet&) {}
};

/// A plan whose kernels are loaded. It must not outlive the runner that loaded it.
class LoadedPlan {
 public:
  virtual ~LoadedPlan() = default;
};

/// Launches plans on streams and memory of the surrounding program and times them without waiting. Every call
/// names its memory and values.
class StreamRunner {
 public:
  /// The addresses of a kernel's argument values, in its order: of device memory's address for a buffer, of a
  /// number for a scalar.
  using Arguments = std::vector<void*>;

  virtual ~StreamRunner() = default;
  /// Failure{resources} or {launch} where the plan cannot run here. May be called while another thread
  /// launches.
  virtual Result<std::unique_ptr<LoadedPlan>> load(const LaunchPlan& plan, const Binary& binary) = 0;
  /// True where a call on this stream can be timed now: not while it is recorded into a graph.
  virtual bool can_time(void* stream) = 0;
  /// Enqueues all launches and returns at once; the values are copied. With `ticket` above 0 the call is
  /// timed under that number. Failure{launch} where the first launch was refused and nothing was enqueued.
  /// Throws Error where a later launch was refused, and for a device that is lost.
  virtual Result<void> launch(LoadedPlan& plan, void* stream, std::span<const Arguments> arguments,
                              std::uint64_t ticket) = 0;
  /// Enqueues a copy of these bytes, which it takes at once, into a variable of the plan's code; nothing
  /// where the code has no such variable. Throws Error where it is smaller.
  virtual void set_variable(LoadedPlan& plan, void* stream, const std::string& name,
                            std::span<const std::byte> bytes) = 0;
  /// Waits for the stream, and copies from device memory. Throws Error.
  virtual void read(void* stream, const void* address, std::span<std::byte> to) = 0;
  /// Returns the seconds that a timed call took on the device; nothing while it has not ended. Never waits.
  /// Forgets the ticket with its time. Failure{crash} where the device is lost.
  virtual Result<std::optional<double>> elapsed(std::uint64_t ticket) = 0;
};

/// A device with its compiler and runner.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const DeviceProperties& properties() const = 0;
  virtual const Compiler& compiler() const = 0;
  virtual Runner& runner() = 0;
  virtual MachineState machine_state() = 0;
};

}  // namespace tune
