// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace tune {

/// How far the elements of an output may be from the reference: |out - ref| <= max(absolute, each * |ref|).
struct Bounds {
  double absolute = 0;
  double relative = 0;  ///< share of the largest |ref| of the output: is added to `absolute` once it is known
  double each = 0;      ///< share of the element's own |ref|
  double sum = 0;       ///< of all |out - ref| of the output at most; 0: no limit
};

/// How far an output may be from the reference: |out - ref| <= absolute, for every element.
struct Tolerance {
  double absolute = 0;
  std::string derivation;  ///< where the number comes from, one sentence
  /// Share of the largest |ref| of all outputs: whoever knows the reference adds it to `absolute`.
  double relative = 0;
  /// Of outputs with bounds of their own, by the name of the buffer.
  std::map<std::string, Bounds> buffers = {};

  /// What holds for this output.
  Bounds of(const std::string& buffer) const {
    const auto own = buffers.find(buffer);
    return own == buffers.end() ? Bounds{.absolute = absolute, .relative = relative} : own->second;
  }
};

}  // namespace tune
