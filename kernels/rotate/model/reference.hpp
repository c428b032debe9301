// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/rotate/model/job.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// Returns `in`: random values of the whole range.
TensorSet rotate_inputs(const RotateJob& job, std::uint64_t seed);
/// Returns `out`, not rounded to the type of the image.
TensorSet rotate_reference(const RotateJob& job, const TensorSet& inputs);

}  // namespace tune::kernels
