// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tuner/backends/cuda/runtime/handles.hpp"

namespace tune::cuda {

/// Device memory that is kept for the next plan: allocating a gigabyte costs more than many evaluations.
class MemoryPool {
 public:
  /// Idle memory that is large enough but not wastefully larger, else new memory. Where there is too little,
  /// idle memory is freed; null data where that does not help either.
  DeviceMemory take(std::size_t size);
  void give_back(DeviceMemory memory);
  /// Frees idle memory, for what is not taken from here; false where there is none.
  bool free_idle();
  /// Bytes that could be taken now: free on the device or idle here.
  std::size_t available() const;

 private:
  std::vector<DeviceMemory> idle_;
};

}  // namespace tune::cuda
