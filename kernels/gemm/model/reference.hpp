// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/gemm/model/job.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::kernels {

/// Returns `a` and `b`, and `c` if the product is added to it: numbers of [-1, 1), exact in float, no two
/// matrices alike.
TensorSet gemm_inputs(const GemmJob& job, std::uint64_t seed);

/// Returns the product in double precision as a tensor of f64; computed on all cores.
HostTensor gemm_reference(const GemmJob& job, const TensorSet& inputs);

/// Bounds the errors of results whose products are computed in this arithmetic. A plan that does not use the
/// strict one sets LaunchPlan::tolerance to it.
Tolerance gemm_tolerance(const GemmJob& job, Arithmetic used);

/// Bounds the errors of products by tensor cores. split: tf32x3, whose sums are added by ordinary additions;
/// else tf32. rounded: operands, of tf32x3 their large parts, are rounded to 11 bits; else truncated.
Tolerance tensor_core_tolerance(const GemmJob& job, bool split, bool rounded);

}  // namespace tune::kernels
