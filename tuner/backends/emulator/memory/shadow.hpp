// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "tuner/backends/emulator/memory/memory_order.hpp"

namespace tune::emulator {

/// What is remembered of a cell of an array. Of the readers since the last write, the first and the latest
/// other one: a later write that is unordered with any of them is, but for rare cases of partial __syncwarp,
/// with one of these.
struct Cell {
  MemoryAccess write;
  MemoryAccess first_read;
  MemoryAccess last_read;
  std::uint32_t write_code = 0;  ///< of the module, relative to its start
  std::uint16_t flags = 0;
  std::uint16_t unused = 0;
};

enum CellFlag : std::uint16_t { cell_atomic = 1, cell_copying = 2, cell_reported = 4 };

/// Cells of an array: one for 4 bytes, or, from the first smaller access on, one for each byte, so that
/// threads that write neighbouring bytes are not taken for rivals. Zero pages are not taken before they are
/// touched.
class Shadow {
 public:
  explicit Shadow(std::size_t bytes);

  unsigned cell_bytes() const { return 1U << shift_; }
  /// From now on one cell a byte.
  void refine();
  Cell& at(std::size_t byte) { return cells_.get()[byte >> shift_]; }

 private:
  struct Free {
    void operator()(Cell* cells) const { std::free(cells); }
  };
  static std::unique_ptr<Cell, Free> zeroed(std::size_t count);

  std::size_t bytes_;
  unsigned shift_ = 2;
  std::unique_ptr<Cell, Free> cells_;
};

}  // namespace tune::emulator
