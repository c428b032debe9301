// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/gemm/model/job.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// `a` and `b`, and `c` where the product is added to it: numbers of [-1, 1), exact in float, no two matrices
/// alike.
TensorSet gemm_inputs(const GemmJob& job, std::uint64_t seed);

/// The product in double precision as a tensor of f64, on all cores.
HostTensor gemm_reference(const GemmJob& job, const TensorSet& inputs);

}  // namespace tune::kernels
