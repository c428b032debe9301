// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/stencil/size.hpp"
#include "kernels/stencil/stencil.hpp"
#include "tuner/core/tensor.hpp"

namespace tune::kernels {

/// Numbers spread evenly over [-1, 1), the same for the same seed, extents and type.
HostTensor stencil_input(const StencilSize& size, std::uint64_t seed);

/// One time step in double precision, on all cores. `input` holds float or double.
HostTensor stencil_reference(const StencilSize& size, const Stencil& stencil, const HostTensor& input);

}  // namespace tune::kernels
