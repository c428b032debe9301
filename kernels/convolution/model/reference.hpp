// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/convolution/model/job.hpp"
#include "tuner/tensor/tensor.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::kernels {

/// Returns numbers spread evenly over [-1, 1), the same for the same seed, extents and type.
HostTensor convolution_input(const ConvolutionJob& job, std::uint64_t seed);

/// Computes rows, then columns, in double precision on all cores. `input` holds float or double.
HostTensor convolution_reference(const ConvolutionJob& job, const HostTensor& input);

// Bounds on the rounding errors of the family's algorithms.

/// For two sums of 2 radius + 1 products, one after the other.
Tolerance sums_tolerance(const ConvolutionJob& job);

/// For one sum of (2 radius + 1)^2 products.
Tolerance direct_tolerance(const ConvolutionJob& job);

/// For two sums of products of tensor cores, floats in two parts. rounded: sums of 8 terms are added by
/// additions that round.
Tolerance products_tolerance(const ConvolutionJob& job, bool rounded);

/// For both passes by transforms of these lengths, forth and back.
Tolerance transforms_tolerance(const ConvolutionJob& job, double row_length, double column_length);

/// Returns the unit of all errors: the unit roundoff times the norms of both axes' taps, for inputs in [-1,
/// 1).
double result_roundoff(const ConvolutionJob& job);

}  // namespace tune::kernels
