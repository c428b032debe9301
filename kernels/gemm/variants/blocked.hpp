// SPDX-License-Identifier: Apache-2.0
// What the variants `register` and `async` have in common: tiles of blocks, warps and threads, sums split
// among blocks.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {

bool blocked_applies(const GemmJob& job);
GemmTile tile_of_blocked(const GemmJob& job, const Configuration& configuration);

/// Adds parameters and rules of the tiles, of the accesses and of the split, but no limits of registers and
/// shared memory.
void add_blocked(FamilySpace& space, const GemmJob& job);

/// Threads of a block and elements of the result that a thread computes.
search::Expr blocked_threads();
search::Expr thread_elements();
/// Bytes of shared memory of a block with `stages` stages of so many bytes each: slices are added there, too.
search::Expr blocked_shared(const search::Expr& stage_bytes);

/// The plan of `file` (`async.cu`), whose kernel `gemm` has slabs of both operands in stages of so many
/// bytes. `stages`: their number in the kernel file.
LaunchPlan plan_blocked(const GemmJob& job, const Configuration& configuration, const KernelSources& sources,
                        std::string_view file, const search::Expr& stage_bytes, int stages);

}  // namespace tune::kernels
