// SPDX-License-Identifier: Apache-2.0
// What the plans of several variants have in common.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/gemm/model/job.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// What a block computes in one turn of its loop: m x n elements of the result, k terms of their sums.
struct GemmTile {
  std::int64_t m = 0, n = 0, k = 0;
};

/// A matrix of rows x columns in row-major order; with padding, rows of whole 128-byte lines.
Layout matrix_layout(std::int64_t rows, std::int64_t columns, ElementType type, bool padded);

/// `configuration[name]`, or `otherwise` where it lacks the parameter: one that is newer than whoever made
/// the configuration, and whose default in the kernel file is the same.
std::int64_t value_or(const search::Configuration& configuration, std::string_view name,
                      std::int64_t otherwise);

/// Whether the configuration's rows are padded.
bool is_padded(const search::Configuration& configuration);
/// Elements that the rows of the configuration's matrices have to be multiples of: `vector` where they are
/// not padded, else 1.
std::int64_t row_vector(const search::Configuration& configuration);

/// The request for `file` (`gemm/tile.cu`) with these headers; macros: REAL, ACCUMULATE (beta is not 0), and
/// the configuration's parameters but `variant`, `padded` and the named ones.
CompileRequest gemm_request(const GemmJob& job, std::string_view file,
                            const std::vector<std::string_view>& headers,
                            const search::Configuration& configuration, const KernelSources& sources,
                            const std::vector<std::string_view>& no_macros = {});

/// Adds `a`, `b` and `c`: the first two as inputs, in their contents if the product is added to them.
void add_matrices(LaunchPlan& plan, const GemmJob& job, bool padded);

/// left, right, result, m, n, k, their pitches (elements), alpha, beta: the arguments of the kernels that
/// compute a product. Alpha and beta are of the matrices' type.
std::vector<KernelArgument> gemm_arguments(const GemmJob& job, bool padded);

/// Tiles of `tile` elements that cover `extent`.
inline std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) {
  return (extent + tile - 1) / tile;
}

/// `value` as an argument of the matrices' type.
ScalarArgument real_argument(const GemmJob& job, double value);

}  // namespace tune::kernels
