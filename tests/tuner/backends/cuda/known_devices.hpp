// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/device/device_properties.hpp"

namespace tune::cuda {

/// Limits as an H200 reports them.
inline DeviceProperties h200_properties() {
  DeviceProperties properties;
  properties.name = "NVIDIA H200";
  properties.compute_major = 9;
  properties.multiprocessors = 132;
  properties.max_threads_per_block = 1024;
  properties.max_threads_per_multiprocessor = 2048;
  properties.max_blocks_per_multiprocessor = 32;
  properties.max_block_dim[0] = properties.max_block_dim[1] = 1024;
  properties.max_block_dim[2] = 64;
  properties.max_grid_dim[0] = 2147483647;
  properties.max_grid_dim[1] = properties.max_grid_dim[2] = 65535;
  properties.registers_per_block = properties.registers_per_multiprocessor = 65536;
  properties.shared_memory_per_block = 48 * 1024;
  properties.shared_memory_per_block_optin = 227 * 1024;
  properties.shared_memory_per_multiprocessor = 228 * 1024;
  properties.reserved_shared_memory_per_block = 1024;
  return properties;
}

/// Limits as an A100 reports them.
inline DeviceProperties a100_properties() {
  auto properties = h200_properties();
  properties.name = "NVIDIA A100-SXM4-80GB";
  properties.compute_major = 8;
  properties.multiprocessors = 108;
  properties.shared_memory_per_block_optin = 163 * 1024;
  properties.shared_memory_per_multiprocessor = 164 * 1024;
  return properties;
}

}  // namespace tune::cuda
