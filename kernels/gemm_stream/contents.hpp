// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/gemm_stream/job.hpp"
#include "tuner/core/tensor.hpp"

namespace tune::kernels {

/// `a` and `b`: numbers of [-1, 1), exact in float, no two matrices alike.
TensorSet stream_inputs(const StreamJob& job, std::uint64_t seed);

/// All products in double precision as a tensor of f64 (n x m x count), on all cores.
HostTensor stream_reference(const StreamJob& job, const TensorSet& inputs);

}  // namespace tune::kernels
