// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>

#include "cli/input/command.hpp"
#include "cli/output/terminal.hpp"
#include "reports/data/grid.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/backends/host/host_device.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/perf_counters.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

constexpr int block_sizes[] = {64, 128, 256, 512, 1024};

struct DevicesRequest {
  Format format = Format::text;

  void add_to(OptionTable& table) { add_format_option(table, format); }
};

/// Blocks that fit on an SM by threads and block slots alone: without shared memory and with few
/// registers.
int resident_blocks(const DeviceProperties& device, int threads) {
  return std::min(device.max_blocks_per_multiprocessor, device.max_threads_per_multiprocessor / threads);
}

/// Registers a thread may use while that many blocks stay resident; the device allocates them in units of
/// eight.
std::int64_t registers_for_full(const DeviceProperties& device, int threads) {
  const int blocks = resident_blocks(device, threads);
  if (blocks == 0) return 0;
  return std::min<std::int64_t>(
      255, device.registers_per_multiprocessor / (std::int64_t{blocks} * threads) / 8 * 8);
}

std::string describe(int number, const DeviceProperties& device) {
  const auto kib = [](std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  reports::Grid table({format("device {}", number), device.name});
  table.wrap(device.name);
  const auto row = [&table](std::string_view what, const std::string& value) {
    table.add({std::string(what), value});
  };
  row("architecture", device.architecture());
  row("multiprocessors", std::to_string(device.multiprocessors));
  row("core clock, highest", si(static_cast<double>(device.core_clock), "Hz"));
  row("memory", format("{}, {} bits at {}", kib(device.global_memory), device.memory_bus_bits,
                       si(static_cast<double>(device.memory_clock), "Hz")));
  row("peak memory bandwidth", si(device.peak_bandwidth(), "B/s"));
  row("peak arithmetic", format("{} float, {} double", si(device.peak_flops_f32(), "FLOP/s"),
                                si(device.peak_flops_f64(), "FLOP/s")));
  if (device.peak_flops_tensor_tf32() > 0) {
    const std::string doubles = device.peak_flops_tensor_f64() > 0
                                    ? format(", {} double", si(device.peak_flops_tensor_f64(), "FLOP/s"))
                                    : "";
    row("peak of the tensor cores",
        format("{} tf32{}", si(device.peak_flops_tensor_tf32(), "FLOP/s"), doubles));
  }
  row("L2 cache", kib(device.l2_cache));
  row("shared memory",
      format("{} per block, {} opt-in, {} per SM", kib(device.shared_memory_per_block),
             kib(device.shared_memory_per_block_optin), kib(device.shared_memory_per_multiprocessor)));
  row("registers",
      format("{} per block, {} per SM", device.registers_per_block, device.registers_per_multiprocessor));
  row("threads",
      format("{} per block, {} per SM", device.max_threads_per_block, device.max_threads_per_multiprocessor));
  row("blocks per SM", std::to_string(device.max_blocks_per_multiprocessor));
  for (const int threads : block_sizes)
    row(format("  of {} threads", threads),
        format("{} resident, with up to {} registers per thread", resident_blocks(device, threads),
               registers_for_full(device, threads)));
  row("ECC", device.ecc ? "on" : "off");
  row("power limit", device.power_limit > 0 ? si(device.power_limit, "W") : "unknown");
  row("driver", device.driver);
  row("UUID", device.uuid);
  return table.text("", output_style());
}

nlohmann::ordered_json describe_json(int number, const DeviceProperties& device) {
  nlohmann::ordered_json object = {
      {"number", number},
      {"name", device.name},
      {"uuid", device.uuid},
      {"architecture", device.architecture()},
      {"multiprocessors", device.multiprocessors},
      {"core_clock_hz", device.core_clock},
      {"memory_clock_hz", device.memory_clock},
      {"memory_bytes", device.global_memory},
      {"memory_bus_bits", device.memory_bus_bits},
      {"peak_bandwidth_bytes_per_second", device.peak_bandwidth()},
      {"peak_flops_f32", device.peak_flops_f32()},
      {"peak_flops_f64", device.peak_flops_f64()},
      {"peak_flops_tensor_f64", device.peak_flops_tensor_f64()},
      {"peak_flops_tensor_tf32", device.peak_flops_tensor_tf32()},
      {"l2_bytes", device.l2_cache},
      {"shared_memory_per_block_bytes", device.shared_memory_per_block},
      {"shared_memory_per_block_optin_bytes", device.shared_memory_per_block_optin},
      {"shared_memory_per_multiprocessor_bytes", device.shared_memory_per_multiprocessor},
      {"registers_per_block", device.registers_per_block},
      {"registers_per_multiprocessor", device.registers_per_multiprocessor},
      {"max_threads_per_block", device.max_threads_per_block},
      {"max_threads_per_multiprocessor", device.max_threads_per_multiprocessor},
      {"max_blocks_per_multiprocessor", device.max_blocks_per_multiprocessor},
      {"ecc", device.ecc},
      {"power_limit_watts", device.power_limit},
      {"driver", device.driver}};
  for (const int threads : block_sizes)
    object["resident_blocks"][std::to_string(threads)] = resident_blocks(device, threads);
  return object;
}

/// The processor.
std::string describe_cpu(const DeviceProperties& cpu) {
  reports::Grid table({"device cpu", cpu.name});
  table.wrap(cpu.name);
  const auto row = [&table](std::string_view what, const std::string& value) {
    table.add({std::string(what), value});
  };
  row("cores of this process", std::to_string(cpu.multiprocessors));
  row("core clock, highest", cpu.core_clock > 0 ? si(static_cast<double>(cpu.core_clock), "Hz") : "unknown");
  row("memory", bytes_text(static_cast<double>(cpu.global_memory)));
  row("governor of the clock", cpu.governor.empty() ? "unknown" : cpu.governor);
  row("vectors", cpu.vector_bits > 0 ? format("{} bits", cpu.vector_bits) : "unknown");
  const auto cache = [](std::int64_t bytes) {
    return bytes > 0 ? bytes_text(static_cast<double>(bytes)) : std::string("unknown");
  };
  row("caches, L1 L2 L3",
      format("{}, {}, {}", cache(cpu.l1_cache), cache(cpu.l2_cache), cache(cpu.l3_cache)));
  row("system", cpu.driver);
  const std::string refused = refused_counters();
  row("counters", refused.empty() ? joined(counted_events) : refused);
  return table.text("", output_style());
}

nlohmann::ordered_json describe_cpu_json(const DeviceProperties& cpu) {
  return {{"name", cpu.name},
          {"cores", cpu.multiprocessors},
          {"core_clock_hz", cpu.core_clock},
          {"memory_bytes", cpu.global_memory},
          {"governor", cpu.governor},
          {"vector_bits", cpu.vector_bits},
          {"l1_bytes", cpu.l1_cache},
          {"l2_bytes", cpu.l2_cache},
          {"l3_bytes", cpu.l3_cache},
          {"system", cpu.driver},
          {"counters_refused", refused_counters()}};
}

int run_devices(const DevicesRequest& request) {
  const DeviceProperties cpu = host::device_properties();
  std::string failure_reason;
  const std::vector<DeviceProperties> devices = cuda::list_devices(&failure_reason);
  if (request.format == Format::json) {
    nlohmann::ordered_json object;
    object["toolkit"] = cuda::toolkit_text();
    object["devices"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < devices.size(); ++i)
      object["devices"].push_back(describe_json(static_cast<int>(i), devices[i]));
    if (devices.empty()) object["why_none"] = failure_reason;
    object["cpu"] = describe_cpu_json(cpu);
    std::cout << json_text(object);
    return 0;
  }
  if (devices.empty()) std::cout << "no devices: " << failure_reason << "\n";
  for (std::size_t i = 0; i < devices.size(); ++i) std::cout << describe(static_cast<int>(i), devices[i]);
  std::cout << describe_cpu(cpu);
  std::cout << "toolkit: " << cuda::toolkit_text() << "\n";
  return 0;
}

}  // namespace

Command devices_command() {
  return {"devices",
          "shows the properties of each GPU, and of the processor, that matter for tuning",
          "tune devices [--format json]",
          "  tune devices\n",
          "",
          bind_request<DevicesRequest, run_devices>};
}

}  // namespace tune::cli
