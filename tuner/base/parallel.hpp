// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace tune {

/// Number of threads that host work may use: all cores, at least one.
unsigned host_threads();

/// Calls `work(begin, end)` for consecutive parts of 0 .. count-1 on all cores and waits. Parts are at least
/// `grain` long. An exception of a part is thrown again here.
void parallel_for(std::uint64_t count, std::uint64_t grain,
                  const std::function<void(std::uint64_t begin, std::uint64_t end)>& function);

}  // namespace tune
