// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/matvec/model/job.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::kernels {

/// Returns `a`, and `x` (n, ata) or `y` (t): numbers in [-1, 1).
TensorSet matvec_inputs(const MatvecJob& job, std::uint64_t seed);
/// Returns `y` (n, ata) and `z` (t, ata) in double precision; doubles are summed as long doubles.
TensorSet matvec_reference(const MatvecJob& job, const TensorSet& inputs);
/// Bounds the errors of sums in any order, for such inputs.
Tolerance matvec_tolerance(const MatvecJob& job);

}  // namespace tune::kernels
