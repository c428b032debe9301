// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/kernel_limits.hpp"

#include <cuda_occupancy.h>
#include <cuda_runtime_api.h>

#include <climits>

#include "tuner/base/format.hpp"
#include "tuner/plan/launch_limits.hpp"

namespace tune::cuda {
namespace {

cudaOccDeviceProp properties_of(const DeviceProperties& device) {
  cudaOccDeviceProp properties;
  properties.computeMajor = device.compute_major;
  properties.computeMinor = device.compute_minor;
  properties.maxThreadsPerBlock = device.max_threads_per_block;
  properties.maxThreadsPerMultiprocessor = device.max_threads_per_multiprocessor;
  properties.regsPerBlock = static_cast<int>(device.registers_per_block);
  properties.regsPerMultiprocessor = static_cast<int>(device.registers_per_multiprocessor);
  properties.warpSize = device.warp_size;
  properties.sharedMemPerBlock = static_cast<size_t>(device.shared_memory_per_block);
  properties.sharedMemPerMultiprocessor = static_cast<size_t>(device.shared_memory_per_multiprocessor);
  properties.numSms = device.multiprocessors;
  properties.sharedMemPerBlockOptin = static_cast<size_t>(device.shared_memory_per_block_optin);
  properties.reservedSharedMemPerBlock = static_cast<size_t>(device.reserved_shared_memory_per_block);
  return properties;
}

std::string limiter_of(unsigned factors) {
  if ((factors & OCC_LIMIT_WARPS) != 0) return "threads";
  if ((factors & OCC_LIMIT_REGISTERS) != 0) return "registers";
  if ((factors & OCC_LIMIT_SHARED_MEMORY) != 0) return "shared memory";
  if ((factors & OCC_LIMIT_BLOCKS) != 0) return "blocks";
  return {};
}

}  // namespace

Occupancy occupancy(const DeviceProperties& device, const OccupancyDemand& demand) {
  const auto properties = properties_of(device);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = demand.registers;
  attributes.sharedSizeBytes = static_cast<size_t>(demand.static_shared_memory);
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = static_cast<size_t>(device.shared_memory_per_block_optin);
  attributes.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result{};
  const auto status =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state, demand.threads,
                                              static_cast<size_t>(demand.dynamic_shared_memory));
  if (status != CUDA_OCC_SUCCESS) return {};

  Occupancy answer;
  answer.blocks = result.activeBlocksPerMultiprocessor;
  const int warps = (demand.threads + device.warp_size - 1) / device.warp_size;
  answer.fraction =
      static_cast<double>(answer.blocks) * warps * device.warp_size / device.max_threads_per_multiprocessor;
  answer.limiter = limiter_of(result.limitingFactors);
  return answer;
}

Result<void> check_launch(const DeviceProperties& device, const KernelResources& kernel,
                          const Launch& launch) {
  if (const auto fits = check_geometry(device, launch); !fits) return fits;
  const auto threads = launch.block.count();
  // Checks registers first: the kernel's own limit follows from them, or from its launch bounds.
  if (static_cast<std::int64_t>(threads) * kernel.registers > device.registers_per_block)
    return beyond_limit(launch, "registers", format("registers per block ({} per thread)", kernel.registers),
                        threads * static_cast<std::uint64_t>(kernel.registers), device.registers_per_block);
  if (threads > static_cast<std::uint64_t>(kernel.max_threads))
    return beyond_limit(launch, "threads",
                        format("threads per block (compiled with {} registers per thread)", kernel.registers),
                        threads, kernel.max_threads);
  const auto shared = launch.dynamic_shared_memory + static_cast<std::uint64_t>(kernel.static_shared_memory);
  if (shared > static_cast<std::uint64_t>(device.shared_memory_per_block_optin))
    return beyond_limit(launch, "shared memory", "bytes of shared memory per block", shared,
                        device.shared_memory_per_block_optin);
  return {};
}

Result<void> check_residency(const DeviceProperties& device, const KernelResources& kernel,
                             const Launch& launch) {
  if (kernel.blocks_per_multiprocessor <= 0)
    return fail(
        Phase::resources, "occupancy",
        format(
            "no block of kernel `{}` fits on an SM ({} threads, {} registers per thread, {} bytes of shared "
            "memory)",
            launch.entry, kernel.threads, kernel.registers,
            kernel.static_shared_memory + kernel.dynamic_shared_memory));
  const auto resident = std::int64_t{kernel.blocks_per_multiprocessor} * device.multiprocessors;
  if (launch.cooperative && launch.grid.count() > static_cast<std::uint64_t>(resident))
    return beyond_limit(launch, "cooperative grid",
                        format("blocks at once ({} per SM, {} SMs)", kernel.blocks_per_multiprocessor,
                               device.multiprocessors),
                        launch.grid.count(), resident);
  return {};
}

}  // namespace tune::cuda
