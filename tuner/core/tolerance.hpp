// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tune {

/// How far an output may be from the reference: |out - ref| <= absolute, for every element.
struct Tolerance {
  double absolute = 0;
  std::string derivation;  ///< where the number comes from, one sentence
  /// Share of the largest |ref| of all outputs: whoever knows the reference adds it to `absolute`.
  double relative = 0;
};

}  // namespace tune
