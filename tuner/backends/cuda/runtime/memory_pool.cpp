// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runtime/memory_pool.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace tune::cuda {
namespace {

/// More than the buffers of a few plans. Beyond it the smallest memory is freed, which is taken anew most
/// quickly.
constexpr std::size_t max_idle_device = 48;

/// Larger memory is left for larger buffers.
constexpr std::size_t acceptable_device(std::size_t size) {
  return size + std::max(size, std::size_t{1} << 20);
}

constexpr std::size_t page = 4096;

constexpr std::size_t max_idle_host = 12;

/// Stays free for the program and others.
constexpr std::size_t reserve = std::size_t{512} << 20;

constexpr std::size_t acceptable_host(std::size_t size) {
  return size + std::max(size / 4, std::size_t{1} << 20);
}

bool is_free(std::size_t size) {
  const std::size_t available = available_host_memory();
  return available == 0 || (available > reserve && size <= available - reserve);
}

/// Takes the smallest memory that fits out of `idle`; null data where none does.
template<class Owned, class Fits>
Owned take_smallest(std::vector<Owned>& idle, const Fits& fits) {
  auto best = idle.end();
  for (auto it = idle.begin(); it != idle.end(); ++it)
    if (fits(*it) && (best == idle.end() || it->size() < best->size())) best = it;
  if (best == idle.end()) return {};
  auto memory = std::move(*best);
  idle.erase(best);
  return memory;
}

template<class Owned>
void keep(std::vector<Owned>& idle, Owned memory, std::size_t max) {
  if (memory.data() == nullptr) return;
  idle.push_back(std::move(memory));
  if (idle.size() > max) idle.erase(std::ranges::min_element(idle, {}, &Owned::size));
}

}  // namespace

DeviceMemory MemoryPool::take(std::size_t size) {
  size = std::max(size, std::size_t{1});
  const auto fits = [&](const auto& idle) {
    return idle.size() >= size && idle.size() <= acceptable_device(size);
  };
  if (auto idle = take_smallest(idle_, fits); idle.data() != nullptr) return idle;
  auto memory = try_allocate_device(size);
  if (memory.data() == nullptr && !idle_.empty()) {
    idle_.clear();
    memory = try_allocate_device(size);
  }
  return memory;
}

void MemoryPool::give_back(DeviceMemory memory) {
  keep(idle_, std::move(memory), max_idle_device);
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

HostMemory HostMemory::allocate(std::size_t size, MemoryPlace place) {
  HostMemory memory;
  memory.place_ = place;
  if (!is_free(size)) return memory;
  if (place == MemoryPlace::pinned) {
    void* data = nullptr;
    const auto status = cudaMallocHost(&data, size);
    if (status == cudaErrorMemoryAllocation) {
      ignore(status);
      return memory;
    }
    check(status);
    memory.pinned_ = PinnedMemory(data, size);
  } else {
    memory.pageable_.reset(
        static_cast<std::byte*>(std::aligned_alloc(page, (size + page - 1) / page * page)));
  }
  memory.size_ = memory.data() != nullptr ? size : 0;
  return memory;
}

HostMemory HostMemoryPool::take(std::size_t size, MemoryPlace place) {
  size = std::max(size, std::size_t{1});
  const auto fits = [&](const auto& idle) {
    return idle.place() == place && idle.size() >= size && idle.size() <= acceptable_host(size);
  };
  if (auto idle = take_smallest(idle_, fits); idle.data() != nullptr) return idle;
  auto memory = HostMemory::allocate(size, place);
  while (memory.data() == nullptr && !idle_.empty()) {
    idle_.erase(idle_.begin());
    memory = HostMemory::allocate(size, place);
  }
  return memory;
}

void HostMemoryPool::give_back(HostMemory memory) {
  keep(idle_, std::move(memory), max_idle_host);
}

std::size_t available_host_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::size_t kibibytes = 0;
  std::string unit;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes << 10;
    std::getline(file, unit);
  }
  return 0;
}

}  // namespace tune::cuda
