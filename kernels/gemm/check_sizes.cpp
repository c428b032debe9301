// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/check_sizes.hpp"

#include "kernels/gemm/model/launches.hpp"
#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {

std::vector<GemmSize> gemm_check_sizes(const GemmJob&, const search::Configuration& configuration) {
  const GemmTile tile = variant_of_gemm(configuration).tile(configuration);
  std::vector<GemmSize> sizes = {
      {tile.m * 2 + 7, tile.n + 9, tile.k * 3 + 5},
      {tile.m, tile.n, tile.k * 2},
      {tile.m / 2 + 3, 11, 3},
      {3, tile.n / 2 + 1, tile.k + 1},
      {3, 2, tile.k * 3 + 1},
      {1, 1, 1},
  };
  // Rows of unpadded matrices are whole vectors.
  const std::int64_t vector = row_vector(configuration);
  for (GemmSize& size : sizes) {
    size.n = (size.n + vector - 1) / vector * vector;
    size.k = (size.k + vector - 1) / vector * vector;
  }
  return sizes;
}

}  // namespace tune::kernels
