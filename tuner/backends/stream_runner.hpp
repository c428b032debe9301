// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tuner/backends/binary.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune {

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

}  // namespace tune
