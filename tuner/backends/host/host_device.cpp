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

int vector_bits_of(const std::string& sets) {
  std::istringstream words(sets);
  int bits = 0;
  for (std::string word; words >> word;)
    bits = std::max(bits, word == "avx512f"                   ? 512
                          : word == "avx"                     ? 256
                          : word == "sse2" || word == "asimd" ? 128
                                                              : 0);
  return bits;
}

}  // namespace

std::string instruction_sets(const std::filesystem::path& root) {
  const std::string info = read_text(root / "proc/cpuinfo").value_or("");
  const std::string flags = value_in(info, "flags");
  return flags.empty() ? value_in(info, "Features") : flags;
}

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
  for (int index = 0; index < 8; ++index) {
    const std::filesystem::path cache = core / format("cache/index{}", index);
    const std::int64_t level = number_in(cache / "level"), size = number_in(cache / "size");
    if (level == 0 || read_text(cache / "type").value_or("").starts_with("Instruction")) continue;
    (level == 1 ? device.l1_cache : level == 2 ? device.l2_cache : device.l3_cache) = size;
  }
  // Virtual machines often tell the processor's own answer alone.
  if (device.l1_cache == 0 && root == "/") {
    device.l1_cache = std::max(0L, sysconf(_SC_LEVEL1_DCACHE_SIZE));
    device.l2_cache = std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE));
    device.l3_cache = std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE));
  }
  device.vector_bits = vector_bits_of(instruction_sets(root));
  std::istringstream(read_text(core / "cpufreq/scaling_governor").value_or("")) >> device.governor;
  device.core_clock = 1000 * number_in(core / "cpufreq/cpuinfo_max_freq");
  device.driver = format("{} {}", system.sysname, system.release);
  return device;
}

MachineState machine_state() {
  MachineState state;
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) == 0) state.host = name;
  state.core_clock =
      1e3 * static_cast<double>(number_in("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"));
  return state;
}

}  // namespace tune::host
