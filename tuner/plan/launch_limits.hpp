// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tuner/base/failure.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// Compares grid, block and dynamic shared memory of a launch with the limits of the device, before anything
/// is known of the kernel. Failure{resources} names demand and limit: `block`, `grid`, `threads` or `shared
/// memory`.
Result<void> check_geometry(const DeviceProperties& device, const Launch& launch);
/// The same of all launches of a plan.
Result<void> check_geometry(const DeviceProperties& device, const LaunchPlan& plan);

/// Returns the failure of a demand beyond a limit: `kernel `k` needs 70000 blocks along y, the limit is
/// 65535`.
tl::unexpected<Failure> beyond_limit(const Launch& launch, std::string reason, const std::string& what,
                                     std::uint64_t demand, std::int64_t limit);

}  // namespace tune
