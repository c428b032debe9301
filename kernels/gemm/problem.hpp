// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// C = alpha A B + beta C for dense matrices: A has m x k elements, B k x n, C m x n. Buffers `a`, `b` and
/// `c`. The first extent of a tensor is that of a row (column-major: of a column).
std::unique_ptr<Problem> make_gemm();

}  // namespace tune::kernels
