// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tune::kernels::testing {

/// The ladder of precisions of a problem: for double and float, kernels of every variant whose loads of
/// vectors keep the bits of the next narrower type. Expects that each is found. `drawn` random configurations
/// of a variant are covered, value by value; 0: only its default.
void expect_losses_found(const std::string& problem, std::size_t drawn);

}  // namespace tune::kernels::testing
