// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/stencil/stencil.hpp"

namespace tune::kernels {

/// Text of `stencil_weights.cuh`: the weights as a constant array of type REAL. An index that the compiler
/// knows becomes an immediate, another one reads constant memory (at most 39 KB: double, box of radius 8).
std::string weights_header(const Stencil& stencil);

}  // namespace tune::kernels
