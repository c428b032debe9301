// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tune {

/// The properties of a device: plain data that a test can invent. Sizes in bytes, clocks in Hz. The processor
/// of this machine is a device whose multiprocessors are cores and whose warps have one lane.
struct DeviceProperties {
  std::string name;  ///< `NVIDIA H200`
  std::string uuid;  ///< `GPU-...`; empty where unknown
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int warp_size = 32;
  int max_threads_per_block = 0;
  int max_threads_per_multiprocessor = 0;
  int max_blocks_per_multiprocessor = 0;
  int max_block_dim[3] = {0, 0, 0};
  std::int64_t max_grid_dim[3] = {0, 0, 0};
  std::int64_t registers_per_block = 0;
  std::int64_t registers_per_multiprocessor = 0;
  std::int64_t shared_memory_per_block = 0;        ///< without opting in: 48 KiB as a rule
  std::int64_t shared_memory_per_block_optin = 0;  ///< with opting in
  std::int64_t shared_memory_per_multiprocessor = 0;
  std::int64_t reserved_shared_memory_per_block = 0;
  std::int64_t global_memory = 0;
  std::int64_t l2_cache = 0;
  std::int64_t core_clock = 0;  ///< highest of the SMs
  std::int64_t memory_clock = 0;
  int memory_bus_bits = 0;
  bool ecc = false;
  std::string driver;           ///< `580.159.04` by NVML, else the CUDA version the driver supports (`13.0`)
  double power_limit = 0;       ///< watts; 0 where unknown
  bool energy_counter = false;  ///< joules can be measured
  /// Bytes read plus written a second by a copy within the device; 0 until measured.
  double copy_bandwidth = 0;
  /// Bytes a second from and to pinned memory of the host, one direction at a time; 0 until measured.
  double host_to_device_bandwidth = 0;
  double device_to_host_bandwidth = 0;
  // Of a processor alone. Its caches of the second level are `l2_cache`.
  std::int64_t l1_cache = 0;  ///< for data, of a core
  std::int64_t l3_cache = 0;
  int vector_bits = 0;   ///< of the widest vectors
  std::string governor;  ///< that chooses the clock; empty where unknown

  /// True for the processor of a machine.
  bool is_cpu() const { return warp_size == 1; }

  /// `sm_90`.
  std::string architecture() const;
  /// Returns bytes a second from memory clock and bus width, two transfers a clock; 0 where they are unknown.
  double peak_bandwidth() const;
  /// Operations a second of the vector pipelines; a fused multiply-add counts two. 0 for an architecture that
  /// is not in the table.
  double peak_flops_f32() const;
  double peak_flops_f64() const;
  /// Operations a second of the tensor cores, without sparsity, with doubles or with floats rounded to tf32
  /// and sums of floats. 0 where there are none or the figure is unknown.
  double peak_flops_tensor_f64() const;
  double peak_flops_tensor_tf32() const;
  /// Identifies the model, not the board: boards with equal keys may share results.
  std::string model_key() const;
};

/// Calls `field(name, member)` for each property: the one list for everything that writes or reads them.
/// `Properties` is DeviceProperties, const or not.
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
  field("l1_cache", properties.l1_cache);
  field("l3_cache", properties.l3_cache);
  field("vector_bits", properties.vector_bits);
  field("governor", properties.governor);
}

/// The architectures of architecture_properties.
std::span<const std::string_view> known_architectures();

/// Returns the limits of an architecture (CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability") as a device with one SM and unknown rates: enough to enumerate a search space and
/// to compile without a GPU. Throws UsageError that lists the known architectures.
DeviceProperties architecture_properties(std::string_view architecture);

/// The state of a device and its machine at one moment; zero or empty where it cannot be read.
struct MachineState {
  double core_clock = 0;    ///< Hz, now
  double memory_clock = 0;  ///< Hz, now
  double temperature = 0;   ///< degrees Celsius
  double power = 0;         ///< watts
  std::string throttle;     ///< reasons, comma-separated; empty for none
  std::string host;
};

}  // namespace tune
