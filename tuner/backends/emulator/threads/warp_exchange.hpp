// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "tuner/backends/emulator/memory/finding.hpp"

namespace tune::emulator {

/// What lanes of a warp bring to an operation, and what each takes away; entries of lanes outside `lanes` do
/// not count.
struct WarpExchange {
  std::array<tune_emulator::WarpRequest, 32> requests{};
  unsigned lanes = 0;
  std::array<unsigned long long, 32> answers{};

  /// Does what all of `lanes` asked for. A lane that takes a value from one that brings none gets all ones:
  /// undefined on a device.
  void carry_out();
};

/// `__shfl_down_sync`: what a kernel writes.
std::string to_string(tune_emulator::WarpOperation operation);

/// True where two lanes stand at the same operation: same function, mask and place, of matrices
/// type and extents too.
bool same_operation(const tune_emulator::WarpRequest& one, const tune_emulator::WarpRequest& other);
bool same_place(const Place& one, const Place& other);

}  // namespace tune::emulator
