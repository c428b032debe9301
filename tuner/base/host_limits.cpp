// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/host_limits.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "tuner/base/parallel.hpp"

namespace tune {
namespace {

namespace fs = std::filesystem;

/// What a compiler takes for the largest kernels: 585 MB were seen.
constexpr std::uint64_t compiler_bytes = 600'000'000;

/// Returns the first number of a file; nothing where there is none (`max`, -1) or no file.
std::optional<double> number_in(const fs::path& path) {
  std::ifstream file(path);
  double number = 0;
  if (!(file >> number) || number < 0) return std::nullopt;
  return number;
}

/// Returns the number behind a word at the beginning of a line.
std::optional<double> number_behind(const fs::path& path, std::string_view word) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string first;
    double number = 0;
    if (words >> first >> number && first == word) return number;
  }
  return std::nullopt;
}

/// The names of a version's files.
struct MemoryFiles {
  const char *limit, *used, *reclaimable;
};

void lower_memory(HostLimits& limits, const fs::path& group, const MemoryFiles& files) {
  const std::optional<double> limit = number_in(group / files.limit);
  // Version 1 writes about 2^63 for no limit.
  if (!limit || *limit > 0x1p62) return;
  // Pages of files that nobody uses now count as used.
  const double used = number_in(group / files.used).value_or(0) -
                      number_behind(group / "memory.stat", files.reclaimable).value_or(0);
  const double left = std::max(0.0, *limit - std::max(0.0, used));
  limits.free_memory = std::min(limits.free_memory, static_cast<std::uint64_t>(left));
}

void lower_cores(HostLimits& limits, const std::optional<double>& quota,
                 const std::optional<double>& period) {
  if (quota && period && *quota > 0 && *period > 0) limits.cores = std::min(limits.cores, *quota / *period);
}

/// Version 2: `cpu.max` holds quota and period, or `max` and period.
void lower_unified(HostLimits& limits, const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0, period = 0;
  if (file >> quota >> period) lower_cores(limits, quota, period);
  lower_memory(limits, group, {"memory.max", "memory.current", "inactive_file"});
}

void lower_version_1(HostLimits& limits, const fs::path& group, std::string_view controllers) {
  const std::string names = "," + std::string(controllers) + ",";
  if (names.find(",cpu,") != std::string::npos)
    lower_cores(limits, number_in(group / "cpu.cfs_quota_us"), number_in(group / "cpu.cfs_period_us"));
  if (names.find(",memory,") != std::string::npos)
    lower_memory(limits, group, {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"});
}

}  // namespace

HostLimits control_group_limits(const fs::path& root) {
  HostLimits limits;
  const fs::path mount = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  // Lines of number, controllers and the group's path, with colons between; version 2 names no controllers.
  std::string line;
  while (std::getline(groups, line)) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path top = controllers.empty() ? mount : mount / controllers;
    // In a container the path may be the host's, of which only the end or nothing is mounted: the folders
    // that exist on the way to the top count.
    for (fs::path group = fs::path(line.substr(second + 1)).relative_path();; group = group.parent_path()) {
      if (controllers.empty())
        lower_unified(limits, top / group);
      else
        lower_version_1(limits, top / group, controllers);
      if (group.empty()) break;
    }
  }
  return limits;
}

std::uint64_t available_memory(const fs::path& root) {
  const std::uint64_t free = control_group_limits(root).free_memory;
  const std::optional<double> kib = number_behind(root / "proc/meminfo", "MemAvailable:");
  return kib ? std::min(free, static_cast<std::uint64_t>(*kib) * 1024) : free;
}

unsigned default_compilers(unsigned cores, std::uint64_t available) {
  const std::uint64_t fit = std::max<std::uint64_t>(1, available / compiler_bytes);
  return static_cast<unsigned>(std::min<std::uint64_t>(std::max(1U, cores), fit));
}

unsigned default_compilers() {
  return default_compilers(host_threads(), available_memory());
}

}  // namespace tune
