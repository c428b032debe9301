// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/plan/fourier_shape.hpp"

namespace tune::emulator {

/// Carries a transform out on the CPU in double precision; only results are rounded to the buffers' type.
/// `input` and `output` are the addresses of the first element of either side, equal for a transform in
/// place; both sides must be accessible. Ignores imaginary parts that the spectrum of real numbers does not
/// have (of element 0, and of element nx / 2 of even nx, along x).
void carry_out(const FourierShape& shape, const char* input, char* output);

}  // namespace tune::emulator
