// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// Keeps device memory for the next plan, because allocating a gigabyte costs more than many evaluations.
class MemoryPool {
 public:
  /// Returns idle memory that is large enough but not much larger, else new memory. Frees idle memory where
  /// the device has too little; null data where that does not suffice.
  DeviceMemory take(std::size_t size);
  void give_back(DeviceMemory memory);
  /// Frees idle memory for other allocations; false where there is none.
  bool free_idle();
  /// Returns the bytes that could be taken now: free on the device or idle here.
  std::size_t available() const;

 private:
  std::vector<DeviceMemory> idle_;
};

/// Owns memory of the host, pinned or pageable. Move-only.
class HostMemory {
 public:
  HostMemory() = default;
  /// Null data where there is too little memory. Any other error throws.
  static HostMemory allocate(std::size_t size, MemoryPlace place);

  std::byte* data() const { return place_ == MemoryPlace::pinned ? pinned_.data() : pageable_.get(); }
  std::size_t size() const { return size_; }
  MemoryPlace place() const { return place_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  PinnedMemory pinned_;
  std::unique_ptr<std::byte, Free> pageable_;
  std::size_t size_ = 0;
  MemoryPlace place_ = MemoryPlace::pageable;
};

/// Keeps host memory for the next plan, because pinning a gigabyte takes longer than copying it many times.
class HostMemoryPool {
 public:
  /// As MemoryPool::take.
  HostMemory take(std::size_t size, MemoryPlace place);
  void give_back(HostMemory memory);

 private:
  std::vector<HostMemory> idle_;
};

/// Returns the bytes that processes can still take on this machine without swapping; 0 where unknown.
std::size_t available_host_memory();

}  // namespace tune::cuda
