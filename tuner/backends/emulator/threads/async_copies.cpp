// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/async_copies.hpp"

#include <cstring>
#include <utility>

namespace tune::emulator {

void AsyncCopies::begin_block(std::size_t threads) {
  if (any_ || queues_.size() != threads) queues_.assign(threads, Queue{});
  any_ = false;
}

void AsyncCopies::commit(std::size_t thread) {
  Queue& queue = queues_[thread];
  queue.groups.push_back(std::exchange(queue.open, {}));
  any_ = true;
}

void AsyncCopies::wait(std::size_t thread, std::size_t pending,
                       const std::function<void(const Copy&)>& done) {
  auto& groups = queues_[thread].groups;
  if (groups.size() <= pending) return;
  const std::size_t complete = groups.size() - pending;
  for (std::size_t i = 0; i < complete; ++i) {
    for (const Copy& copy : groups[i]) {
      const unsigned copied = copy.bytes - copy.filled;
      std::memcpy(copy.to, copy.from, copied);
      std::memset(copy.to + copied, 0, copy.filled);
      done(copy);
    }
  }
  groups.erase(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(complete));
}

bool AsyncCopies::unfinished(std::size_t thread) const {
  const Queue& queue = queues_[thread];
  if (!queue.open.empty()) return true;
  for (const auto& group : queue.groups)
    if (!group.empty()) return true;
  return false;
}

}  // namespace tune::emulator
