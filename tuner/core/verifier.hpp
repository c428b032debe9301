// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tuner/core/failure.hpp"
#include "tuner/core/tensor.hpp"
#include "tuner/core/tolerance.hpp"

namespace tune {

/// What a comparison with the reference found.
struct Comparison {
  double worst_error = 0;  ///< largest |out - ref|; infinite where an output is NaN and the reference not
  std::uint64_t worst_index = 0;  ///< of that element in the dense tensor
  double worst_value = 0;         ///< what was found there
  double worst_reference = 0;     ///< what should have been there
  std::uint64_t wrong = 0;        ///< elements beyond the tolerance
};

/// Compares every element of an output with a reference of f64 elements and equal extents. Runs on all cores.
/// Throws std::logic_error where the extents differ.
Comparison compare(const TensorView& output, const TensorView& reference, const Tolerance& tolerance);

/// The failure that a comparison means: names the worst element by its coordinates. Only for `wrong > 0`.
Failure wrong_result(const Comparison& comparison, const Extents& extents, const Tolerance& tolerance,
                     const std::string& buffer);

}  // namespace tune
