// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runtime/device_query.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/backends/cuda/runtime/memory_pool.hpp"
#include "tuner/backends/cuda/toolkit/device_files.hpp"
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

constexpr std::size_t mebibyte = std::size_t{1} << 20;
/// Much larger than any L2, so that copies do not stay in the cache.
constexpr std::size_t largest_copy = 2048 * mebibyte;
constexpr std::size_t smallest_copy = 64 * mebibyte;

constexpr std::size_t samples = 9;

/// Returns the seconds that executions of `enqueue` on the stream take, the shortest first.
template<class Enqueue>
std::array<double, samples> sorted_seconds(const Enqueue& enqueue, const Stream& stream) {
  std::array<Event, samples + 1> events;
  for (auto& event : events) event = make_event();
  check(cudaEventRecord(events[0].get(), stream.get()));
  for (std::size_t i = 1; i <= samples; ++i) {
    enqueue();
    check(cudaEventRecord(events[i].get(), stream.get()));
  }
  check(cudaStreamSynchronize(stream.get()));
  std::array<double, samples> seconds{};
  for (std::size_t i = 0; i < samples; ++i) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events[i].get(), events[i + 1].get()));
    seconds[i] = static_cast<double>(milliseconds) * 1e-3;
  }
  std::ranges::sort(seconds);
  return seconds;
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
  if (const auto file = forbidden_device_file(); file && !hides_devices())
    return say(format("this user may not open {}: ask the administrator for its group", file->string()));
  if (status == cudaSuccess || status == cudaErrorNoDevice)
    return say("the NVIDIA driver shows no device: check CUDA_VISIBLE_DEVICES");
  return say("the NVIDIA driver does not answer: " + describe(status));
}

bool driver_fails() {
  int driver = 0, count = 0;
  ignore(cudaDriverGetVersion(&driver));
  if (driver == 0) return false;
  const auto status = cudaGetDeviceCount(&count);
  ignore(status);
  return status != cudaSuccess && status != cudaErrorNoDevice;
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
  // CUDA 13 dropped the clocks from cudaDeviceProp; all versions have the attributes, in kHz.
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

double measure_copy_bandwidth() {
  std::size_t available = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&available, &total));
  const auto size = std::min(largest_copy, available / 4);
  if (size < smallest_copy) return 0;
  const auto source = try_allocate_device(size);
  const auto target = try_allocate_device(size);
  if (source.data() == nullptr || target.data() == nullptr) return 0;

  const auto stream = make_stream();
  check(cudaMemsetAsync(source.data(), 0x5a, size, stream.get()));
  const auto copy = [&] {
    check(cudaMemcpyAsync(target.data(), source.data(), size, cudaMemcpyDeviceToDevice, stream.get()));
  };
  for (int i = 0; i < 3; ++i) copy();

  return 2.0 * static_cast<double>(size) / sorted_seconds(copy, stream)[samples / 2];
}

HostBandwidth measure_host_bandwidth() {
  constexpr std::size_t size = 128 * mebibyte;
  const auto host = HostMemory::allocate(size, MemoryPlace::pinned);
  const auto memory = try_allocate_device(size);
  if (host.data() == nullptr || memory.data() == nullptr) return {};
  const auto stream = make_stream();
  std::memset(host.data(), 0x5a, size);
  const auto timed = [&](void* to, const void* from, cudaMemcpyKind kind) {
    const auto copy = [&] { check(cudaMemcpyAsync(to, from, size, kind, stream.get())); };
    for (int i = 0; i < 3; ++i) copy();
    return static_cast<double>(size) / sorted_seconds(copy, stream).front();
  };
  HostBandwidth found;
  found.to_device = timed(memory.data(), host.data(), cudaMemcpyHostToDevice);
  found.to_host = timed(host.data(), memory.data(), cudaMemcpyDeviceToHost);
  return found;
}

}  // namespace tune::cuda
