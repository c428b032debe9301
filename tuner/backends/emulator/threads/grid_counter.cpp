// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/threads/grid_counter.hpp"

#include <utility>

#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

constexpr unsigned phase = 0x80000000U;

}  // namespace

std::string GridCounter::arrive(unsigned* counter) {
  if (std::exchange(any_, true))
    return counter == counter_ ? std::string()
                               : "blocks come to a barrier of the grid with different counters";
  counter_ = counter;
  if (counter == nullptr || (*counter & ~phase) == 0) return {};
  return format(
      "the counter of the grid's barrier holds {:#x}: it must begin as zero (a scratch buffer with "
      "Fill::zero) "
      "and belong to the barrier alone",
      *counter);
}

void GridCounter::release() {
  if (std::exchange(any_, false) && counter_ != nullptr) *counter_ ^= phase;
}

}  // namespace tune::emulator
