// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/async_barriers.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tune::emulator {
namespace {

/// Returns where the copy engine puts a piece of 16 bytes: bits of its address from 4 on are combined with
/// those from 7 on.
std::uintptr_t swizzled(std::uintptr_t address, MapSwizzle swizzle) {
  constexpr std::uintptr_t bits[] = {0, 1, 3, 7};
  return address ^ (((address >> 7) & bits[static_cast<int>(swizzle)]) << 4);
}

}  // namespace

void BarrierCopy::carry_out() const {
  if (map == nullptr) {
    std::memcpy(to, from, bytes);
    return;
  }
  constexpr std::size_t piece = 16;
  std::vector<char> box(map->box_bytes(), 0);
  map->each_row(at, [&](std::size_t row, const char* begin, std::size_t length, std::size_t skipped) {
    if (length > 0) std::memcpy(box.data() + row + skipped, begin, length);
  });
  const auto begin = reinterpret_cast<std::uintptr_t>(to);
  for (std::size_t i = 0; i < box.size(); i += piece)
    std::memcpy(to + (swizzled(begin + i, map->spec.swizzle) - begin), box.data() + i, piece);
}

bool AsyncBarrier::can_end() const {
  std::int64_t coming = 0;
  for (const BarrierCopy& copy : copies)  // threads do not announce their own
    if (copy.map != nullptr) coming += static_cast<std::int64_t>(copy.size());
  return pending == 0 && coming == bytes && count > 0;
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
    if (all_.size() == max) return nullptr;
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
