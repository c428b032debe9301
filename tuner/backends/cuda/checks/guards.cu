// SPDX-License-Identifier: Apache-2.0
// Fills the zones around buffers with a pattern and looks whether it is still there. Kernels of the program
// itself, compiled once a device and launched by tuner/backends/cuda/checks/device_checks.cpp. The tests run the same text on
// the CPU.
#include "tuner/backends/cuda/checks/types.cuh"

namespace tune::checks {

/// The pattern's byte at an address.
__device__ inline unsigned char guard_byte(const unsigned char* address) {
  const auto place = reinterpret_cast<unsigned long long>(address) % 4;
  return static_cast<unsigned char>(guard_word >> (8 * place));
}

/// Bytes of a zone before its first whole word.
__device__ inline Count bytes_before_words(const Zone& zone) {
  return (4 - reinterpret_cast<unsigned long long>(zone.begin) % 4) % 4;
}

/// Row y of the grid fills zone y.
__global__ void fill_guards(Zones zones) {
  const Zone zone = zones.zone[blockIdx.y];
  const Count head = bytes_before_words(zone);
  const Count me = Count{blockIdx.x} * block_threads + threadIdx.x;
  if (me < head) zone.begin[me] = guard_byte(zone.begin + me);
  auto* const words = reinterpret_cast<unsigned*>(zone.begin + head);
  const Count count = (zone.bytes - head) / 4;
  for (Count i = me; i < count; i += Count{gridDim.x} * block_threads) words[i] = guard_word;
}

/// Sets damaged[y] to 1 where zone y is no longer as it was filled.
__global__ void check_guards(Zones zones, unsigned* damaged) {
  const Zone zone = zones.zone[blockIdx.y];
  const Count head = bytes_before_words(zone);
  const Count me = Count{blockIdx.x} * block_threads + threadIdx.x;
  bool fine = me >= head || zone.begin[me] == guard_byte(zone.begin + me);
  const auto* const words = reinterpret_cast<const unsigned*>(zone.begin + head);
  const Count count = (zone.bytes - head) / 4;
#pragma unroll 4
  for (Count i = me; i < count; i += Count{gridDim.x} * block_threads) fine = fine && words[i] == guard_word;
  if (!fine) atomicMax(&damaged[blockIdx.y], 1u);
}

}  // namespace tune::checks
