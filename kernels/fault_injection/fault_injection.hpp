// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// out = 3 in + 1 over n elements, with 60 configurations of 200 that fault, hang, write out of bounds, are
/// wrong, exhaust the memory or do not compile: shows on a device that a run survives them and names them
/// rightly. Buffers `in` and `out`, and for one behaviour `scratch`.
std::unique_ptr<Problem> make_fault_injection();

}  // namespace tune::kernels
