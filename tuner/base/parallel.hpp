// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace tune {

/// Returns the number of threads for work on the host: the cores that a batch system, taskset or the quota of
/// a container leaves to this process, at least one.
unsigned host_threads();

/// Calls `function(begin, end)` for consecutive parts of 0 .. count-1, at least `grain` long, on all cores
/// and waits. Throws the exception of a part again. A StopScope of the caller is that of all parts.
void parallel_for(std::uint64_t count, std::uint64_t grain,
                  const std::function<void(std::uint64_t begin, std::uint64_t end)>& function);

}  // namespace tune
