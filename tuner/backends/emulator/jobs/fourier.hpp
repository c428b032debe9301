// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/plan/fourier_shape.hpp"

namespace tune::emulator {

/// Carries a transform out on the CPU, in double precision throughout; only results are rounded to the
/// buffers' type. `input` and `output` are the addresses of the first element of either side, equal ones for
/// a transform in place; all of both sides must be accessible. Of complex numbers that have no place in the
/// spectrum of real ones (imaginary parts of element 0, and of element nx / 2 of even nx, along x) nothing
/// is used.
void carry_out(const FourierShape& shape, const char* input, char* output);

}  // namespace tune::emulator
