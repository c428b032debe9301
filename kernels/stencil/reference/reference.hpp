// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/stencil/model/job.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

/// Numbers spread evenly over [-1, 1), the same for the same seed, extents and type.
HostTensor stencil_input(const StencilJob& job, std::uint64_t seed);

/// All time steps one after another in double precision, on all cores. `input` holds float or double.
HostTensor stencil_reference(const StencilJob& job, const HostTensor& input);

}  // namespace tune::kernels
