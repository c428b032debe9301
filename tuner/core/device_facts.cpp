// SPDX-License-Identifier: Apache-2.0
#include "tuner/core/device_facts.hpp"

#include "tuner/core/format.hpp"

namespace tune {
namespace {

/// Fused multiply-adds a multiprocessor starts each clock (CUDA C++ Programming Guide, table of the
/// arithmetic instructions' throughput).
struct Throughput {
  int major, minor;
  double f32, f64;
};

constexpr Throughput throughputs[] = {
    {7, 0, 64, 32}, {7, 2, 64, 32},  {7, 5, 64, 2},    {8, 0, 64, 32},  {8, 6, 128, 2},  {8, 7, 128, 2},
    {8, 9, 128, 2}, {9, 0, 128, 64}, {10, 0, 128, 64}, {10, 3, 128, 2}, {12, 0, 128, 2}, {12, 1, 128, 2},
};

const Throughput* throughput_of(const DeviceFacts& device) {
  for (const Throughput& entry : throughputs)
    if (entry.major == device.compute_major && entry.minor == device.compute_minor) return &entry;
  return nullptr;
}

double peak_flops(const DeviceFacts& device, double Throughput::*rate) {
  const Throughput* entry = throughput_of(device);
  if (entry == nullptr) return 0;
  return 2.0 * entry->*rate * device.multiprocessors * static_cast<double>(device.core_clock);
}

}  // namespace

std::string DeviceFacts::architecture() const {
  return format("sm_{}{}", compute_major, compute_minor);
}

double DeviceFacts::peak_bandwidth() const {
  return 2.0 * static_cast<double>(memory_clock) * memory_bus_bits / 8.0;
}

double DeviceFacts::peak_flops_f32() const {
  return peak_flops(*this, &Throughput::f32);
}

double DeviceFacts::peak_flops_f64() const {
  return peak_flops(*this, &Throughput::f64);
}

std::string DeviceFacts::model_key() const {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  return format("{} sm_{}{} {} SMs {} GiB", name, compute_major, compute_minor, multiprocessors,
                (global_memory + gib / 2) / gib);
}

}  // namespace tune
