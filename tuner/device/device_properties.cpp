// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/device_properties.hpp"

#include <array>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune {
namespace {

/// Fused multiply-adds an SM starts each clock: on the vector pipelines (CUDA C++ Programming
/// Guide, table of the arithmetic instructions' throughput) and on the tensor cores, dense. These follow from
/// the peaks that NVIDIA gives of a board with that chip, divided by 2, its SMs and its clock:
/// 8.0   A100: 19.5 TFLOP/s doubles, 156 tf32, 108 at 1.41 GHz (A100 whitepaper) 8.6   A10: 62.5 tf32, 72 at
/// 1.695 GHz (datasheet; GeForce boards have half of it) 8.9   L40S: 183 tf32, 142 at 2.52 GHz (datasheet;
/// GeForce boards have half of it) 9.0   H100 SXM: 66.9 doubles at 1.98 GHz, 494.7 tf32 at 1.83 GHz, 132
/// (H100 whitepaper) 10.0  B200: 40 doubles, about 1,200 tf32, 148 at 1.97 GHz (HGX datasheet) 12.0  RTX PRO
/// 6000: 252 tf32, 188 at 2.62 GHz (datasheet; GeForce boards have half of it) 0: none, or no figure is
/// published.
struct Throughput {
  int major, minor;
  double f32, f64, tensor_f64, tensor_tf32;
};

constexpr Throughput throughputs[] = {
    {7, 0, 64, 32, 0, 0},       {7, 2, 64, 32, 0, 0},  {7, 5, 64, 2, 0, 0},     {8, 0, 64, 32, 64, 512},
    {8, 6, 128, 2, 0, 256},     {8, 7, 128, 2, 0, 0},  {8, 9, 128, 2, 0, 256},  {9, 0, 128, 64, 128, 1024},
    {10, 0, 128, 64, 64, 2048}, {10, 3, 128, 2, 0, 0}, {12, 0, 128, 2, 0, 256}, {12, 1, 128, 2, 0, 0},
};

const Throughput* throughput_of(const DeviceProperties& device) {
  for (const Throughput& entry : throughputs)
    if (entry.major == device.compute_major && entry.minor == device.compute_minor) return &entry;
  return nullptr;
}

double peak_flops(const DeviceProperties& device, double Throughput::*rate) {
  const Throughput* entry = throughput_of(device);
  if (entry == nullptr) return 0;
  return 2.0 * entry->*rate * device.multiprocessors * static_cast<double>(device.core_clock);
}

/// Of the machine itself, whose multiprocessors are cores and whose warps have one lane.
constexpr std::string_view host_architecture = "cpu";

struct ArchitectureLimits {
  int major, minor;
  int threads_per_multiprocessor;
  int blocks_per_multiprocessor;
  int shared_kib_per_block;  ///< opted in
  int shared_kib_per_multiprocessor;
};

constexpr std::array<std::string_view, 9> architecture_names = {"sm_70", "sm_75",  "sm_80",  "sm_86", "sm_89",
                                                                "sm_90", "sm_100", "sm_103", "sm_120"};
constexpr std::array<ArchitectureLimits, 9> architecture_limits = {{{7, 0, 2048, 32, 96, 96},
                                                                    {7, 5, 1024, 16, 64, 64},
                                                                    {8, 0, 2048, 32, 163, 164},
                                                                    {8, 6, 1536, 16, 99, 100},
                                                                    {8, 9, 1536, 24, 99, 100},
                                                                    {9, 0, 2048, 32, 227, 228},
                                                                    {10, 0, 2048, 32, 227, 228},
                                                                    {10, 3, 2048, 32, 227, 228},
                                                                    {12, 0, 1536, 24, 99, 100}}};

}  // namespace

std::string DeviceProperties::architecture() const {
  if (is_cpu()) return std::string(host_architecture);
  return format("sm_{}{}", compute_major, compute_minor);
}

double DeviceProperties::peak_bandwidth() const {
  return 2.0 * static_cast<double>(memory_clock) * memory_bus_bits / 8.0;
}

double DeviceProperties::peak_flops_f32() const {
  return peak_flops(*this, &Throughput::f32);
}

double DeviceProperties::peak_flops_f64() const {
  return peak_flops(*this, &Throughput::f64);
}

double DeviceProperties::peak_flops_tensor_f64() const {
  return peak_flops(*this, &Throughput::tensor_f64);
}

double DeviceProperties::peak_flops_tensor_tf32() const {
  return peak_flops(*this, &Throughput::tensor_tf32);
}

std::string DeviceProperties::model_key() const {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  if (is_cpu()) return format("{} {} cores {} GiB", name, multiprocessors, (global_memory + gib / 2) / gib);
  return format("{} sm_{}{} {} SMs {} GiB", name, compute_major, compute_minor, multiprocessors,
                (global_memory + gib / 2) / gib);
}

std::span<const std::string_view> known_architectures() {
  return architecture_names;
}

DeviceProperties architecture_properties(std::string_view architecture) {
  if (architecture == host_architecture) {
    DeviceProperties properties;
    properties.name = std::string(architecture);
    properties.warp_size = properties.multiprocessors = 1;
    return properties;
  }
  for (std::size_t i = 0; i < architecture_names.size(); ++i) {
    if (architecture_names[i] != architecture) continue;
    const ArchitectureLimits& limit = architecture_limits[i];
    DeviceProperties properties;
    properties.name = std::string(architecture);
    properties.compute_major = limit.major;
    properties.compute_minor = limit.minor;
    properties.multiprocessors = 1;
    properties.max_threads_per_block = 1024;
    properties.max_threads_per_multiprocessor = limit.threads_per_multiprocessor;
    properties.max_blocks_per_multiprocessor = limit.blocks_per_multiprocessor;
    properties.max_block_dim[0] = properties.max_block_dim[1] = 1024;
    properties.max_block_dim[2] = 64;
    properties.max_grid_dim[0] = 2147483647;
    properties.max_grid_dim[1] = properties.max_grid_dim[2] = 65535;
    properties.registers_per_block = properties.registers_per_multiprocessor = 65536;
    properties.shared_memory_per_block = 48 * 1024;
    properties.shared_memory_per_block_optin = limit.shared_kib_per_block * 1024;
    properties.shared_memory_per_multiprocessor = limit.shared_kib_per_multiprocessor * 1024;
    properties.reserved_shared_memory_per_block = limit.major >= 8 ? 1024 : 0;
    properties.global_memory = std::int64_t{16} << 30;
    return properties;
  }
  throw UsageError(
      format("unknown architecture '{}'; known are {}", architecture, joined(architecture_names)));
}

}  // namespace tune
