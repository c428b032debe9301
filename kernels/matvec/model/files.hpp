// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/problem/problem_files.hpp"

namespace tune::kernels {

/// Files of matvec: a header of 16 bytes (the numbers of rows and columns as 32-bit integers, eight bytes of
/// zeros), then 32-bit floats; all little endian. Inputs: the matrix row after row and the vector, x of
/// `columns` elements (n, ata) or y of `rows` (t). Outputs: y (n, ata), then z (t, ata).
const ProblemFiles& matvec_files();

}  // namespace tune::kernels
