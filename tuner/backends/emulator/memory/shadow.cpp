// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/shadow.hpp"

#include <new>

namespace tune::emulator {

std::unique_ptr<Cell, Shadow::Free> Shadow::zeroed(std::size_t count) {
  auto* const cells = static_cast<Cell*>(std::calloc(count + 1, sizeof(Cell)));
  if (cells == nullptr) throw std::bad_alloc();
  return std::unique_ptr<Cell, Free>(cells);
}

Shadow::Shadow(std::size_t bytes) : bytes_(bytes), cells_(zeroed((bytes + 3) / 4)) {}

void Shadow::refine() {
  if (shift_ == 0) return;
  auto fine = zeroed(bytes_);
  for (std::size_t byte = 0; byte < bytes_; ++byte) {
    const Cell& coarse = at(byte);
    // Untouched pages stay untaken.
    if (coarse.write.epoch != 0 || coarse.first_read.epoch != 0 || coarse.flags != 0)
      fine.get()[byte] = coarse;
  }
  cells_ = std::move(fine);
  shift_ = 0;
}

}  // namespace tune::emulator
