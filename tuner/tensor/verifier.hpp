// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tuner/base/failure.hpp"
#include "tuner/tensor/tensor.hpp"

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

/// Bounds::relative of numbers that were summed in another order: what numpy's and PyTorch's comparisons take
/// for equal; of 16 bits two units of the last place, which is what single rounded results differ in. None
/// for whole numbers.
double usual_share(ElementType type);

/// What a comparison with the reference found.
struct Comparison {
  /// Largest |out - ref|; infinite where an output is NaN and the reference not. Where a share of each
  /// element is allowed, of the element that is farthest beyond it.
  double worst_error = 0;
  std::uint64_t worst_index = 0;  ///< of that element in the dense tensor
  double worst_value = 0;         ///< what was found there
  double worst_reference = 0;     ///< what should have been there
  std::uint64_t wrong = 0;        ///< elements beyond the tolerance
  double total_error = 0;         ///< sum of |out - ref|
};

/// Compares every element of an output with a reference of f64 elements and equal extents. Runs on all cores.
/// Throws std::logic_error where the extents differ. `relative` must be part of `absolute` by now.
Comparison compare(const TensorView& output, const TensorView& reference, const Bounds& bounds);

/// Whether no element is beyond the bounds, nor their sum.
bool is_right(const Comparison& comparison, const Bounds& bounds);

/// The failure that a comparison means: names the worst element by its coordinates. Only for what is not
/// right.
Failure wrong_result(const Comparison& comparison, const Extents& extents, const Bounds& bounds,
                     const std::string& buffer);

}  // namespace tune
