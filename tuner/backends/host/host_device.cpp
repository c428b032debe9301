// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/host/host_device.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"

namespace tune::host {
namespace {

/// Returns the value of the first line `name : value`; empty where there is none.
std::string value_in(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(name)) continue;
    if (line.find_last_not_of(" \t", colon - 1) != name.size() - 1) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

/// Returns the number at the beginning of a file; 0 where there is none.
std::int64_t number_in(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return 0;
  char* end = nullptr;
  const std::int64_t number = std::strtoll(text->c_str(), &end, 10);
  return number * (*end == 'K' ? 1024 : *end == 'M' ? 1024 * 1024 : 1);
}

}  // namespace

DeviceProperties device_properties(const std::filesystem::path& root) {
  DeviceProperties device;
  const std::string info = read_text(root / "proc/cpuinfo").value_or("");
  utsname system{};
  uname(&system);
  device.name = value_in(info, "model name");
  if (device.name.empty()) device.name = value_in(info, "Hardware");
  if (device.name.empty()) device.name = format("{} processor", system.machine);
  device.warp_size = 1;
  device.multiprocessors = static_cast<int>(host_threads());
  device.max_threads_per_block = device.max_threads_per_multiprocessor = 1;
  const std::string memory = read_text(root / "proc/meminfo").value_or("");
  device.global_memory = 1024 * std::strtoll(value_in(memory, "MemTotal").c_str(), nullptr, 10);
  const std::filesystem::path core = root / "sys/devices/system/cpu/cpu0";
  for (int level = 0; level < 8; ++level)
    device.l2_cache = std::max(device.l2_cache, number_in(core / format("cache/index{}/size", level)));
  device.core_clock = 1000 * number_in(core / "cpufreq/cpuinfo_max_freq");
  device.driver = format("{} {}", system.sysname, system.release);
  return device;
}

MachineState machine_state() {
  MachineState state;
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) == 0) state.host = name;
  return state;
}

}  // namespace tune::host
