// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runtime/memory_pool.hpp"

#include <algorithm>

namespace tune::cuda {
namespace {

/// More than the buffers and input layouts of a few plans; beyond it the oldest is freed.
constexpr std::size_t most_idle_device = 32;

/// Beyond this a large buffer would be held by a small plan and be missing for the next large one.
constexpr std::size_t acceptable_device(std::size_t size) {
  return size + std::max(size, std::size_t{1} << 20);
}

}  // namespace

DeviceMemory MemoryPool::take(std::size_t size) {
  size = std::max(size, std::size_t{1});
  auto best = idle_.end();
  for (auto it = idle_.begin(); it != idle_.end(); ++it)
    if (it->size() >= size && it->size() <= acceptable_device(size) &&
        (best == idle_.end() || it->size() < best->size()))
      best = it;
  if (best != idle_.end()) {
    auto memory = std::move(*best);
    idle_.erase(best);
    return memory;
  }
  auto memory = try_allocate_device(size);
  if (memory.data() == nullptr && !idle_.empty()) {
    idle_.clear();
    memory = try_allocate_device(size);
  }
  return memory;
}

void MemoryPool::give_back(DeviceMemory memory) {
  if (memory.data() == nullptr) return;
  idle_.push_back(std::move(memory));
  if (idle_.size() > most_idle_device) idle_.erase(idle_.begin());
}

bool MemoryPool::free_idle() {
  const bool any = !idle_.empty();
  idle_.clear();
  return any;
}

std::size_t MemoryPool::available() const {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  for (const auto& memory : idle_) free += memory.size();
  return free;
}

}  // namespace tune::cuda
