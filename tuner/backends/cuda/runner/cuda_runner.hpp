// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/cuda/plan/device_context.hpp"
#include "tuner/backends/cuda/plan/launch_sequence.hpp"
#include "tuner/backends/cuda/runtime/module.hpp"

namespace tune::cuda {

/// Carries plans out on one device of this machine, in this process. Plans must end before their runner.
/// After a fault (an illegal address, say) the process has lost the device: every later call throws Error,
/// and only a new process can go on. That makes this the object that a child process would own.
class CudaRunner : public Runner {
 public:
  CudaRunner(int device, DeviceProperties properties);

  /// Both throw Error where a kernel takes other arguments than the plan gives, and after a fault.
  Result<std::vector<KernelResources>> check_resources(const LaunchPlan& plan, const Binary& binary) override;
  Result<std::unique_ptr<PreparedPlan>> prepare(const LaunchPlan& plan, const Binary& binary) override;

  /// False after a fault.
  bool usable() const { return context_.usable(); }
  MachineState machine_state() const { return context_.machine_state(); }

 private:
  /// What of a plan needs no memory; its setup's launches come first.
  struct LoadedLaunches {
    std::shared_ptr<const Module> module;
    std::vector<PreparedLaunch> launches = {};
    std::vector<KernelResources> resources = {};
  };
  Result<LoadedLaunches> load(const LaunchPlan& plan, const Binary& binary);
  /// One configuration is prepared at several sizes, one after the other: its binary is loaded once.
  Result<std::shared_ptr<const Module>> loaded(const Binary& binary);

  DeviceContext context_;
  std::string last_hash_;
  std::shared_ptr<const Module> last_module_;
};

}  // namespace tune::cuda
