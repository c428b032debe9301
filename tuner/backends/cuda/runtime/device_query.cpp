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

void copy_limits(const cudaDeviceProp& properties, DeviceFacts& facts) {
  facts.compute_major = properties.major;
  facts.compute_minor = properties.minor;
  facts.multiprocessors = properties.multiProcessorCount;
  facts.warp_size = properties.warpSize;
  facts.max_threads_per_block = properties.maxThreadsPerBlock;
  facts.max_threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
  facts.max_blocks_per_multiprocessor = properties.maxBlocksPerMultiProcessor;
  for (int i = 0; i < 3; ++i) {
    facts.max_block_dim[i] = properties.maxThreadsDim[i];
    facts.max_grid_dim[i] = properties.maxGridSize[i];
  }
  facts.registers_per_block = properties.regsPerBlock;
  facts.registers_per_multiprocessor = properties.regsPerMultiprocessor;
  facts.shared_memory_per_block = static_cast<std::int64_t>(properties.sharedMemPerBlock);
  facts.shared_memory_per_block_optin = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  facts.shared_memory_per_multiprocessor = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
  facts.reserved_shared_memory_per_block = static_cast<std::int64_t>(properties.reservedSharedMemPerBlock);
}

}  // namespace

int device_count(std::string* why_none) {
  const auto say = [&](std::string text) {
    if (why_none != nullptr) *why_none = std::move(text);
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

DeviceFacts query_device(int number, const Nvml* nvml) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, number));
  DeviceFacts facts;
  facts.name = properties.name;
  facts.uuid = uuid_text(properties.uuid);
  copy_limits(properties, facts);
  facts.global_memory = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.l2_cache = properties.l2CacheSize;
  facts.memory_bus_bits = properties.memoryBusWidth;
  facts.ecc = properties.ECCEnabled != 0;
  // CUDA 13 dropped the clocks from cudaDeviceProp; the attributes are there in all versions, in kHz.
  facts.core_clock = std::int64_t{attribute(number, cudaDevAttrClockRate)} * 1000;
  facts.memory_clock = std::int64_t{attribute(number, cudaDevAttrMemoryClockRate)} * 1000;

  int driver = 0;
  check(cudaDriverGetVersion(&driver));
  facts.driver = version_text(driver);
  if (nvml != nullptr) {
    if (const auto version = nvml->driver_version(); !version.empty()) facts.driver = version;
    if (const auto device = nvml->find(facts.uuid, pci_address(number))) {
      facts.power_limit = device->read().power_limit;
      facts.energy_counter = device->energy().has_value();
    }
  }
  return facts;
}

}  // namespace tune::cuda
