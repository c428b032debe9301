// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runtime/device_query.hpp"

#include <cuda_runtime_api.h>

#include <array>

#include "tuner/backends/cuda/runtime/check.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

std::string version_text(int version) {
  return format("{}.{}", version / 1000, version % 1000 / 10);
}

int attribute(int device, cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

void copy_limits(const cudaDeviceProp& properties, DeviceProperties& found) {
  found.compute_major = properties.major;
  found.compute_minor = properties.minor;
  found.multiprocessors = properties.multiProcessorCount;
  found.warp_size = properties.warpSize;
  found.max_threads_per_block = properties.maxThreadsPerBlock;
  found.max_threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
  found.max_blocks_per_multiprocessor = properties.maxBlocksPerMultiProcessor;
  for (int i = 0; i < 3; ++i) {
    found.max_block_dim[i] = properties.maxThreadsDim[i];
    found.max_grid_dim[i] = properties.maxGridSize[i];
  }
  found.registers_per_block = properties.regsPerBlock;
  found.registers_per_multiprocessor = properties.regsPerMultiprocessor;
  found.shared_memory_per_block = static_cast<std::int64_t>(properties.sharedMemPerBlock);
  found.shared_memory_per_block_optin = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  found.shared_memory_per_multiprocessor = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
  found.reserved_shared_memory_per_block = static_cast<std::int64_t>(properties.reservedSharedMemPerBlock);
}

}  // namespace

int device_count(std::string* failure_reason) {
  const auto say = [&](std::string text) {
    if (failure_reason != nullptr) *failure_reason = std::move(text);
    return 0;
  };
  int driver = 0;
  int runtime = 0;
  ignore(cudaDriverGetVersion(&driver));
  ignore(cudaRuntimeGetVersion(&runtime));
  if (driver == 0) return say("no NVIDIA driver was found on this machine");
  int count = 0;
  const auto status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return count;
  ignore(status);
  if (status == cudaErrorInsufficientDriver)
    return say(format("the NVIDIA driver is too old: it supports CUDA {}, this program needs CUDA {}",
                      version_text(driver), version_text(runtime)));
  if (status == cudaSuccess || status == cudaErrorNoDevice)
    return say("the NVIDIA driver shows no device (is CUDA_VISIBLE_DEVICES empty?)");
  return say("the NVIDIA driver does not answer: " + describe(status));
}

std::string pci_address(int number) {
  std::array<char, 32> text{};
  check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), number));
  return text.data();
}

DeviceProperties query_device(int number, const Nvml* nvml) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, number));
  DeviceProperties found;
  found.name = properties.name;
  found.uuid = uuid_text(properties.uuid);
  copy_limits(properties, found);
  found.global_memory = static_cast<std::int64_t>(properties.totalGlobalMem);
  found.l2_cache = properties.l2CacheSize;
  found.memory_bus_bits = properties.memoryBusWidth;
  found.ecc = properties.ECCEnabled != 0;
  // CUDA 13 dropped the clocks from cudaDeviceProp; the attributes are there in all versions, in kHz.
  found.core_clock = std::int64_t{attribute(number, cudaDevAttrClockRate)} * 1000;
  found.memory_clock = std::int64_t{attribute(number, cudaDevAttrMemoryClockRate)} * 1000;

  int driver = 0;
  check(cudaDriverGetVersion(&driver));
  found.driver = version_text(driver);
  if (nvml != nullptr) {
    if (const auto version = nvml->driver_version(); !version.empty()) found.driver = version;
    if (const auto device = nvml->find(found.uuid, pci_address(number))) {
      found.power_limit = device->read().power_limit;
      found.energy_counter = device->energy().has_value();
    }
  }
  return found;
}

}  // namespace tune::cuda
