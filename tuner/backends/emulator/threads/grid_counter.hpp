// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tune::emulator {

/// The counter that a grid's barrier counts arrivals with (kernels/common/grid_barrier.cuh): what a device
/// needs of it, though blocks meet without it here. Zero but for its highest bit before and after each
/// barrier, which turns over that bit.
class GridCounter {
 public:
  /// A block has come to the barrier with this counter, null for none. What is wrong with that; empty:
  /// nothing.
  std::string arrive(unsigned* counter);
  /// All have.
  void release();
  void begin_launch() { any_ = false; }

 private:
  unsigned* counter_ = nullptr;  ///< of the barrier that blocks are coming to
  bool any_ = false;
};

}  // namespace tune::emulator
