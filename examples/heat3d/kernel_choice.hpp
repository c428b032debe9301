// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <tune/lookup.hpp>
#include <vector>

#include "heat.hpp"

namespace heat3d {

/// What a configuration means for the kernels in share/tune/kernels/stencil: how their README.md says.
struct Kernel {
  std::string file;                  ///< `direct.cu`
  std::vector<std::string> defines;  ///< `BLOCK_X=32`
  std::int64_t block[3] = {1, 1, 1};
  std::int64_t tile[3] = {1, 1, 1};  ///< cells that a block computes
  bool padded = false;
  std::int64_t lead = 1;           ///< cells in front of a row that vectors touch
  std::int64_t shared_memory = 0;  ///< bytes
};

/// Nothing where this program does not know the variant, or the configuration is not valid at this size: the
/// lookup knows no constraints, and a configuration of another size may not fit here.
std::optional<Kernel> kernel_of(const tune::lookup::Candidate& candidate, const Grid& grid);

/// What one would take without tuning: the defaults of direct.cu.
Kernel default_kernel();

/// How arrays lie for a kernel; all counts in cells.
struct Layout {
  std::int64_t pitch = 0, plane = 0;
  std::int64_t offset = 0;      ///< of cell (0, 0, 0)
  std::int64_t allocation = 0;  ///< with ghost cells
};
Layout layout_of(const Kernel& kernel, const Grid& grid);

/// Blocks of a launch: all along x.
std::int64_t blocks_of(const Kernel& kernel, const Grid& grid);

}  // namespace heat3d
