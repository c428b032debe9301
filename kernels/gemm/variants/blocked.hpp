// SPDX-License-Identifier: Apache-2.0
// What the variants `register` and `async` have in common: tiles of blocks, warps and threads, sums split
// among blocks.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {

bool blocked_applies(const GemmJob& job);
GemmTile tile_of_blocked(const Configuration& configuration);

/// Threads of a block, from the tiles of blocks and threads.
std::int64_t blocked_threads(const Configuration& configuration);

/// Parameters and rules of the tiles, of the accesses and of the split, but no limits of registers and shared
/// memory. Slabs of `slabs` terms.
void add_blocked_rules(GemmSpace& space, const GemmJob& job, const std::vector<search::Value>& slabs);
/// Threads of a block and elements of the result that a thread computes, as expressions.
search::Expr blocked_threads();
search::Expr thread_elements();
/// Bytes of shared memory of a block with so many stages of so many bytes each: slices are added there, too.
search::Expr blocked_shared(const search::Expr& stage_bytes);

/// The plan of `file`, whose kernel `gemm` has `stages` slabs of both operands in shared memory.
LaunchPlan plan_blocked(const GemmJob& job, const Configuration& configuration, const KernelSources& sources,
                        std::string_view file, std::vector<std::string_view> headers,
                        std::int64_t stage_bytes, std::int64_t stages);

}  // namespace tune::kernels
