// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/convolution/model/job.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// Numbers spread evenly over [-1, 1), the same for the same seed, extents and type.
HostTensor convolution_input(const ConvolutionJob& job, std::uint64_t seed);

/// Rows, then columns, in double precision on all cores. `input` holds float or double.
HostTensor convolution_reference(const ConvolutionJob& job, const HostTensor& input);

}  // namespace tune::kernels
