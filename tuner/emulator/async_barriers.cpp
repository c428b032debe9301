// SPDX-License-Identifier: Apache-2.0
#include "tuner/emulator/async_barriers.hpp"

#include <algorithm>
#include <cstring>

namespace tune::emulator {

void BoxCopy::carry_out() const {
  const std::size_t row_bytes = map->spec.box[0] * map->element;
  map->each_row(at, [&](std::size_t row, const char* from, std::size_t bytes, std::size_t skipped) {
    std::memset(to + row, 0, row_bytes);
    if (bytes > 0) std::memcpy(to + row + skipped, from, bytes);
  });
}

bool AsyncBarrier::can_end() const {
  std::int64_t coming = 0;
  for (const BoxCopy& copy : copies) coming += static_cast<std::int64_t>(copy.map->box_bytes());
  return pending == 0 && coming == bytes;
}

void AsyncBarrier::end() {
  copies.clear();
  bytes = 0;
  pending = count;
  ++phase;
  complete.add(arriving);
}

AsyncBarrier* AsyncBarriers::make(const void* address, unsigned thread, unsigned count) {
  AsyncBarrier* barrier = find(address);
  if (barrier == nullptr) {
    if (all_.size() == most) return nullptr;
    barrier = &all_.emplace_back();
    barrier->number = static_cast<unsigned>(all_.size() - 1);
  }
  const unsigned number = barrier->number;
  *barrier = AsyncBarrier{};
  barrier->address = address;
  barrier->number = number;
  barrier->count = barrier->pending = count;
  barrier->initialiser = thread;
  return barrier;
}

AsyncBarrier* AsyncBarriers::find(const void* address) {
  const auto found = std::ranges::find(all_, address, &AsyncBarrier::address);
  return found == all_.end() ? nullptr : &*found;
}

void AsyncBarriers::fence(unsigned thread) {
  for (AsyncBarrier& barrier : all_)
    if (barrier.initialiser == thread) barrier.fenced = true;
}

const AsyncBarrier* AsyncBarriers::unfinished() const {
  const auto found =
      std::ranges::find_if(all_, [](const AsyncBarrier& barrier) { return !barrier.copies.empty(); });
  return found == all_.end() ? nullptr : &*found;
}

}  // namespace tune::emulator
