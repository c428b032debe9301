// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/gemm/model/job.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::kernels {

/// `a` and `b`, and `c` where the product is added to it: numbers of [-1, 1), exact in float, no two matrices
/// alike.
TensorSet gemm_inputs(const GemmJob& job, std::uint64_t seed);

/// The product in double precision as a tensor of f64, on all cores.
HostTensor gemm_reference(const GemmJob& job, const TensorSet& inputs);

/// How far a result may be from the reference where products are computed in such arithmetic. A plan that
/// uses another one than strict sets LaunchPlan::tolerance to it.
Tolerance gemm_tolerance(const GemmJob& job, Arithmetic used);

/// The same of products by tensor cores. split: tf32x3, whose sums are added by ordinary additions; else
/// tf32. rounded: operands, of tf32x3 their large parts, are rounded to 11 bits; else cut.
Tolerance tensor_core_tolerance(const GemmJob& job, bool split, bool rounded);

}  // namespace tune::kernels
