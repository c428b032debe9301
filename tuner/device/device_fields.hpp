// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/device/device_properties.hpp"

namespace tune {

/// The one list of a device's facts by name, for whatever writes or reads them: calls `field(name, member)`
/// for each. Facts is DeviceProperties, const or not.
template<class Properties, class Field>
void for_each_property(Properties& properties, Field field) {
  field("name", properties.name);
  field("uuid", properties.uuid);
  field("compute_major", properties.compute_major);
  field("compute_minor", properties.compute_minor);
  field("multiprocessors", properties.multiprocessors);
  field("warp_size", properties.warp_size);
  field("max_threads_per_block", properties.max_threads_per_block);
  field("max_threads_per_multiprocessor", properties.max_threads_per_multiprocessor);
  field("max_blocks_per_multiprocessor", properties.max_blocks_per_multiprocessor);
  field("max_block_dim", properties.max_block_dim);
  field("max_grid_dim", properties.max_grid_dim);
  field("registers_per_block", properties.registers_per_block);
  field("registers_per_multiprocessor", properties.registers_per_multiprocessor);
  field("shared_memory_per_block", properties.shared_memory_per_block);
  field("shared_memory_per_block_optin", properties.shared_memory_per_block_optin);
  field("shared_memory_per_multiprocessor", properties.shared_memory_per_multiprocessor);
  field("reserved_shared_memory_per_block", properties.reserved_shared_memory_per_block);
  field("global_memory", properties.global_memory);
  field("l2_cache", properties.l2_cache);
  field("core_clock", properties.core_clock);
  field("memory_clock", properties.memory_clock);
  field("memory_bus_bits", properties.memory_bus_bits);
  field("ecc", properties.ecc);
  field("driver", properties.driver);
  field("power_limit", properties.power_limit);
  field("energy_counter", properties.energy_counter);
  field("copy_bandwidth", properties.copy_bandwidth);
  field("host_to_device_bandwidth", properties.host_to_device_bandwidth);
  field("device_to_host_bandwidth", properties.device_to_host_bandwidth);
}

}  // namespace tune
