// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Products of a matrix of `rows` x `columns`, row after row, with vectors: y = A x, z = A' y, or both.
/// Buffers `a`, `x`, `y` and `z`.
std::unique_ptr<Problem> make_matvec();

}  // namespace tune::kernels
