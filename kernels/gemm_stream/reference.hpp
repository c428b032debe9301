// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/gemm_stream/job.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// Returns how many products, the first ones, have matrices with numbers of their own. Product i has those of
/// product i % own, with the rows of A and the columns of B moved around by i / own places, and C follows. So
/// all matrices differ, and the reference of large ones takes a second instead of minutes.
std::int64_t own_products(const StreamJob& job);

/// Returns `a` and `b`: numbers of [-1, 1), exact in float. `own` is at most `count`.
TensorSet stream_inputs(const StreamJob& job, std::uint64_t seed, std::int64_t own);

/// Computes all products in double precision as a tensor of f64 (n x m x count), on all cores. Right for any
/// inputs: products of matrices that are not moved ones are computed.
HostTensor stream_reference(const StreamJob& job, const TensorSet& inputs, std::int64_t own);

}  // namespace tune::kernels
