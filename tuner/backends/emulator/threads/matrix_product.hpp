// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "tuner/backends/emulator/memory/finding.hpp"

namespace tune::emulator {

/// C += A B of a whole warp (mma.sync): all lanes' fragments have one type and inner extent.
///
/// tf32: operands are cut to the 10 explicit bits of the mantissa that the format has (a device ignores the
/// other 13); the products are exact, their sum with C is exact but for double precision, and then cut to a
/// float: a device adds in an order and with a precision of its own, and has been seen to cut, not to round.
/// f64: fused multiply-adds, one after another.
void add_matrix_product(const std::array<tune_emulator::MatrixFragments, 32>& lanes);

/// Towards zero; infinity and NaN stay what they are.
float cut_to_float(double value);

}  // namespace tune::emulator
