// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/problem/problem_files.hpp"

namespace tune::kernels {

/// Files of triangle_count: texts. Inputs: a Matrix Market file (coordinates, square; values do not count),
/// or a line `u v` for each edge, with vertices from 0 on and comments behind `#` or `%`. Loops and repeated
/// edges, in either direction, are left out, which `remark` tells. Outputs: the count.
const ProblemFiles& triangle_files();

}  // namespace tune::kernels
