// SPDX-License-Identifier: Apache-2.0
// The queries in the order in which threads take them.
#pragma once

#include "grid.cuh"

// `number`: of the query among those sorted, or of all. The result belongs to query `index` as it arrived.
__device__ __forceinline__ Point query_at(const float* queries, long long count, long long number) {
  if constexpr (sort == Sort::cubes) return Points{queries, count}.point(number);
  return Point{given_place(queries, number), static_cast<int>(number)};
}
