// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/backends/binary.hpp"
#include "tuner/backends/cuda/plan/launch_sequence.hpp"
#include "tuner/backends/cuda/runtime/module.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::cuda {

/// Loads a binary. Failure{resources, "load"}.
Result<std::shared_ptr<const Module>> load_binary(const Binary& binary);

/// A plan's kernel launches, those of the setup first, and the code that they run.
struct LoadedLaunches {
  std::shared_ptr<const Module> module;
  std::vector<PreparedLaunch> launches = {};
  std::vector<KernelResources> resources = {};        ///< of each launch
  std::map<std::string, std::string> variables = {};  ///< the plan's names -> those in the binary
};

/// Prepares everything of a plan's kernel launches that needs no memory: finds the kernels, opts in for their
/// shared memory, checks the limits of the device. Failure{resources}, or {launch, "arguments"} where a
/// variable has fewer bytes than are copied to it. Throws Error where a kernel takes other arguments than the
/// plan passes. `others`: the further devices of the plan, equal to the current one.
Result<LoadedLaunches> load_launches(const DeviceProperties& device, const LaunchPlan& plan,
                                     const Binary& binary, std::shared_ptr<const Module> module,
                                     const std::vector<int>& others = {});

}  // namespace tune::cuda
