// SPDX-License-Identifier: Apache-2.0
// Shared by the variants `register` and `async`: tiles of blocks, warps and threads, sums split among blocks.
#pragma once

#include <string_view>

#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {

GemmTile tile_of_blocked(const GemmJob& job, const Configuration& configuration);

/// Adds parameters and rules of tiles, accesses and the split, but no limits of registers and shared memory.
void add_blocked(FamilySpace& space, const GemmJob& job);

/// Return the threads of a block and the elements of the result of a thread.
search::Expr blocked_threads();
search::Expr thread_elements();
/// Returns the bytes of shared memory of a block with `stages` stages of this size: slices are added there,
/// too.
search::Expr blocked_shared(const search::Expr& stage_bytes);

/// Plans `file` (`async.cu`), whose kernel `gemm` keeps slabs of both operands in stages of this size.
/// `stages`: their default number in the kernel file.
LaunchPlan plan_blocked(const GemmJob& job, const Configuration& configuration, const KernelSources& sources,
                        std::string_view file, const search::Expr& stage_bytes, int stages);

}  // namespace tune::kernels
