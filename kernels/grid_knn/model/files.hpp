// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/problem/problem_files.hpp"

namespace tune::kernels {

/// Files of grid_knn: a header of 16 bytes (the numbers of points, of queries and of dimensions as 32-bit
/// integers, four bytes of zeros), then numbers of 4 bytes; all little endian. Inputs: the coordinates of
/// point after point, then those of the queries; 0 queries where the points are the queries. Outputs: the
/// indices of query after query, then the distances.
const ProblemFiles& knn_files();

}  // namespace tune::kernels
