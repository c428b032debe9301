// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "tuner/base/host_limits.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune {
namespace {

/// Between two questions whether work on the host was stopped.
constexpr std::chrono::milliseconds stop_poll{20};

}  // namespace

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
  throw_if_stopped();
  const std::uint64_t max = std::max<std::uint64_t>(1, count / std::max<std::uint64_t>(1, grain));
  const std::uint64_t parts = std::min<std::uint64_t>(host_threads(), max);
  if (parts == 1) {
    if (count > 0) function(0, count);
    return;
  }
  std::vector<std::exception_ptr> errors(parts);
  StopScope* const scope = StopScope::current();
  {
    std::mutex mutex;
    std::condition_variable ended;
    std::uint64_t running = parts;
    std::vector<std::jthread> threads;
    for (std::uint64_t part = 0; part < parts; ++part)
      threads.emplace_back([&, part] {
        const StopScope::Joined joined(scope);
        try {
          function(count * part / parts, count * (part + 1) / parts);
        } catch (...) {
          errors[part] = std::current_exception();
        }
        const std::scoped_lock lock(mutex);
        if (--running == 0) ended.notify_one();
      });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, stop_poll, [&running] { return running == 0; }))
      if (scope != nullptr) (void)scope->is_over();  // this thread asks for all of them
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace tune
