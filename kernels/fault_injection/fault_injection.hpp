// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Computes out = 3 in + 1 over n elements. 60 of 200 configurations fault, hang, write out of bounds, are
/// wrong, exhaust the memory or do not compile: a run on a device must survive them and report each
/// correctly. Buffers `in` and `out`, and for one behaviour `scratch`.
std::unique_ptr<Problem> make_fault_injection();

}  // namespace tune::kernels
