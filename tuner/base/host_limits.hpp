// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>

namespace tune {

/// What the control groups of a container or a batch system leave to this process. Without limits the values
/// are the largest ones.
struct HostLimits {
  double cores = std::numeric_limits<double>::infinity();
  std::uint64_t free_memory = std::numeric_limits<std::uint64_t>::max();  ///< bytes
};

/// Reads the limits of this process's control groups (cgroup, both versions) and of the groups around them.
/// `root`: of the file system.
HostLimits control_group_limits(const std::filesystem::path& root = "/");

/// Returns the bytes that programs can still take: MemAvailable of /proc/meminfo, or less by the control
/// groups' limits.
std::uint64_t available_memory(const std::filesystem::path& root = "/");

/// Returns how many compilers work at the same time where the user does not say: one for each core of
/// host_threads(), and no more than fit in `available` bytes, but at least one.
unsigned default_compilers(unsigned cores, std::uint64_t available);
unsigned default_compilers();

}  // namespace tune
