// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// `gemm_stream`: products of a set of matrices in host memory.
std::unique_ptr<Problem> make_gemm_stream();

}  // namespace tune::kernels
