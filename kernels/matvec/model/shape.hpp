// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/matvec/model/job.hpp"
#include "search/expressions/expr.hpp"
#include "search/space/configuration.hpp"

namespace tune::kernels {

/// Kernels count rows and columns in 32 bits, and beyond the end by up to a batch or a tile.
inline constexpr std::int64_t max_matvec_rows = (std::int64_t{1} << 31) - (1 << 12);
inline constexpr std::int64_t max_matvec_columns = (std::int64_t{1} << 31) - (1 << 17);

/// How a configuration cuts the matrix into strips of rows and tiles of columns (strip.cuh).
struct MatvecShape {
  std::int64_t block_x = 1, block_y = 1, vector = 1, unroll_x = 1, unroll_y = 1, stages = 1;
  bool stored_in_shared = false, x_shared = false;
  std::int64_t tile = 1;        ///< columns of a block
  std::int64_t batch = 1;       ///< rows of a block at a time
  std::int64_t row_block = 1;   ///< rows of a block
  std::int64_t slices = 1;      ///< tiles beside each other
  std::int64_t row_blocks = 1;  ///< strips below each other

  MatvecShape(const MatvecJob& job, const search::Configuration& configuration);

  std::int64_t threads() const { return block_x * block_y; }
};

/// Columns and rows of a block at a time, as above.
search::Expr matvec_tile();
search::Expr matvec_batch();
/// Elements of dynamic shared memory of a kernel that computes products with x, sums over rows, or both.
search::Expr matvec_shared(bool products, bool sums);

}  // namespace tune::kernels
