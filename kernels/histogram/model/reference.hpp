// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/histogram/model/job.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// Returns `samples`.
TensorSet histogram_inputs(const HistogramJob& job, std::uint64_t seed);
/// Returns `counts`, exactly.
TensorSet histogram_reference(const HistogramJob& job, const TensorSet& inputs);

}  // namespace tune::kernels
