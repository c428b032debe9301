// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/launch_limits.hpp"

#include <array>

#include "tuner/base/format.hpp"

namespace tune {

tl::unexpected<Failure> beyond_limit(const Launch& launch, std::string reason, const std::string& what,
                                     std::uint64_t demand, std::int64_t limit) {
  return fail(Phase::resources, std::move(reason),
              format("kernel `{}` needs {} {}, the limit is {}", launch.entry, demand, what, limit));
}

Result<void> check_geometry(const DeviceProperties& device, const Launch& launch) {
  constexpr std::array<char, 3> axes{'x', 'y', 'z'};
  const std::array block{launch.block.x, launch.block.y, launch.block.z};
  const std::array grid{launch.grid.x, launch.grid.y, launch.grid.z};
  for (std::size_t i = 0; i < 3; ++i) {
    if (block[i] == 0 || std::int64_t{block[i]} > device.max_block_dim[i])
      return beyond_limit(launch, "block", format("threads along {} of a block", axes[i]), block[i],
                          device.max_block_dim[i]);
    if (grid[i] == 0 || std::int64_t{grid[i]} > device.max_grid_dim[i])
      return beyond_limit(launch, "grid", format("blocks along {}", axes[i]), grid[i],
                          device.max_grid_dim[i]);
  }
  if (const auto threads = launch.block.count();
      threads > static_cast<std::uint64_t>(device.max_threads_per_block))
    return beyond_limit(launch, "threads", "threads per block", threads, device.max_threads_per_block);
  if (launch.dynamic_shared_memory > static_cast<std::uint64_t>(device.shared_memory_per_block_optin))
    return beyond_limit(launch, "shared memory", "bytes of shared memory per block",
                        launch.dynamic_shared_memory, device.shared_memory_per_block_optin);
  return {};
}

Result<void> check_geometry(const DeviceProperties& device, const LaunchPlan& plan) {
  for (const Launch* const launch : kernel_launches(plan))
    if (Result<void> fits = check_geometry(device, *launch); !fits) return fits;
  return {};
}

}  // namespace tune
