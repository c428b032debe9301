// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/cuda/plan/device_context.hpp"
#include "tuner/backends/cuda/plan/load_launches.hpp"
#include "tuner/backends/cuda/runtime/module.hpp"

namespace tune::cuda {

/// Carries plans out on a device of this machine, in this process. A plan of several devices gets the next
/// ones that are equal. Plans must end before their runner.
/// After a fault (an illegal address, for example) every later call throws Error: only a new process can use
/// the device again.
class CudaRunner : public Runner {
 public:
  CudaRunner(int device, DeviceProperties properties);

  /// Both throw Error where a kernel takes other arguments than the plan passes, and after a fault.
  Result<std::vector<KernelResources>> check_resources(const LaunchPlan& plan, const Binary& binary) override;
  Result<std::unique_ptr<PreparedPlan>> prepare(const LaunchPlan& plan, const Binary& binary) override;

  MachineState machine_state() const { return context_.machine_state(); }

 private:
  /// Returns the devices of a plan, the runner's own one first, with peer access where they have it. Throws
  /// Error where the machine has too few.
  std::vector<DeviceContext*> devices_for(const LaunchPlan& plan);
  Result<LoadedLaunches> load(const LaunchPlan& plan, const Binary& binary);
  /// Loads the binary once where a configuration is prepared at several sizes, one after the other.
  Result<std::shared_ptr<const Module>> module_of(const Binary& binary);

  DeviceContext context_;
  std::vector<std::unique_ptr<DeviceContext>> more_;
  bool all_peers_ = true;  ///< all devices so far have access to each other
  std::string last_hash_;
  std::shared_ptr<const Module> last_module_;
};

}  // namespace tune::cuda
