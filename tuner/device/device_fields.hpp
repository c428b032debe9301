// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/device/device_facts.hpp"

namespace tune {

/// The one list of a device's facts by name, for whatever writes or reads them: calls `field(name, member)`
/// for each. Facts is DeviceFacts, const or not.
template<class Facts, class Field>
void for_each_fact(Facts& facts, Field field) {
  field("name", facts.name);
  field("uuid", facts.uuid);
  field("compute_major", facts.compute_major);
  field("compute_minor", facts.compute_minor);
  field("multiprocessors", facts.multiprocessors);
  field("warp_size", facts.warp_size);
  field("max_threads_per_block", facts.max_threads_per_block);
  field("max_threads_per_multiprocessor", facts.max_threads_per_multiprocessor);
  field("max_blocks_per_multiprocessor", facts.max_blocks_per_multiprocessor);
  field("max_block_dim", facts.max_block_dim);
  field("max_grid_dim", facts.max_grid_dim);
  field("registers_per_block", facts.registers_per_block);
  field("registers_per_multiprocessor", facts.registers_per_multiprocessor);
  field("shared_memory_per_block", facts.shared_memory_per_block);
  field("shared_memory_per_block_optin", facts.shared_memory_per_block_optin);
  field("shared_memory_per_multiprocessor", facts.shared_memory_per_multiprocessor);
  field("reserved_shared_memory_per_block", facts.reserved_shared_memory_per_block);
  field("global_memory", facts.global_memory);
  field("l2_cache", facts.l2_cache);
  field("core_clock", facts.core_clock);
  field("memory_clock", facts.memory_clock);
  field("memory_bus_bits", facts.memory_bus_bits);
  field("ecc", facts.ecc);
  field("driver", facts.driver);
  field("power_limit", facts.power_limit);
  field("energy_counter", facts.energy_counter);
  field("copy_bandwidth", facts.copy_bandwidth);
  field("host_to_device_bandwidth", facts.host_to_device_bandwidth);
  field("device_to_host_bandwidth", facts.device_to_host_bandwidth);
}

}  // namespace tune
