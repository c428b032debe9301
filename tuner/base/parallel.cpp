// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <thread>
#include <vector>

#include "tuner/base/host_limits.hpp"

namespace tune {

unsigned host_threads() {
  // The quota does not change while a program runs; threads may.
  static const double quota = control_group_limits().cores;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool known = sched_getaffinity(0, sizeof(allowed), &allowed) == 0;
  const double cores = known ? CPU_COUNT(&allowed) : std::thread::hardware_concurrency();
  return static_cast<unsigned>(std::max(1.0, std::min(cores, std::ceil(quota))));
}

void parallel_for(std::uint64_t count, std::uint64_t grain,
                  const std::function<void(std::uint64_t, std::uint64_t)>& function) {
  const std::uint64_t max = std::max<std::uint64_t>(1, count / std::max<std::uint64_t>(1, grain));
  const std::uint64_t parts = std::min<std::uint64_t>(host_threads(), max);
  if (parts == 1) {
    if (count > 0) function(0, count);
    return;
  }
  std::vector<std::exception_ptr> errors(parts);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t part = 0; part < parts; ++part)
      threads.emplace_back([&, part] {
        try {
          function(count * part / parts, count * (part + 1) / parts);
        } catch (...) {
          errors[part] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace tune
