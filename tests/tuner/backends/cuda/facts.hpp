// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/device/device_facts.hpp"

namespace tune::cuda {

/// Limits as an H200 reports them.
inline DeviceFacts h200_facts() {
  DeviceFacts facts;
  facts.name = "NVIDIA H200";
  facts.compute_major = 9;
  facts.multiprocessors = 132;
  facts.max_threads_per_block = 1024;
  facts.max_threads_per_multiprocessor = 2048;
  facts.max_blocks_per_multiprocessor = 32;
  facts.max_block_dim[0] = facts.max_block_dim[1] = 1024;
  facts.max_block_dim[2] = 64;
  facts.max_grid_dim[0] = 2147483647;
  facts.max_grid_dim[1] = facts.max_grid_dim[2] = 65535;
  facts.registers_per_block = facts.registers_per_multiprocessor = 65536;
  facts.shared_memory_per_block = 48 * 1024;
  facts.shared_memory_per_block_optin = 227 * 1024;
  facts.shared_memory_per_multiprocessor = 228 * 1024;
  facts.reserved_shared_memory_per_block = 1024;
  return facts;
}

/// Limits as an A100 reports them.
inline DeviceFacts a100_facts() {
  auto facts = h200_facts();
  facts.name = "NVIDIA A100-SXM4-80GB";
  facts.compute_major = 8;
  facts.multiprocessors = 108;
  facts.shared_memory_per_block_optin = 163 * 1024;
  facts.shared_memory_per_multiprocessor = 164 * 1024;
  return facts;
}

}  // namespace tune::cuda
