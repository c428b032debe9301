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
  double sum = 0;       ///< limit of the sum of |out - ref| over the output; 0: none
};

/// How far the outputs may be from the reference: |out - ref| <= absolute, for every element.
struct Tolerance {
  double absolute = 0;
  std::string derivation;  ///< one sentence on where the number comes from
  /// Share of the largest |ref| of all outputs: is added to `absolute` once the reference is known.
  double relative = 0;
  /// The bounds of outputs that have their own, by the name of the buffer.
  std::map<std::string, Bounds> buffers = {};
  /// What to do if most results are smaller than the tolerance, so that they could be anything: a check is
  /// then refused. Empty: it never is.
  std::string cure = {};

  /// Returns the bounds of this output.
  Bounds of(const std::string& buffer) const {
    const auto own = buffers.find(buffer);
    return own == buffers.end() ? Bounds{.absolute = absolute, .relative = relative} : own->second;
  }
};

/// Returns Bounds::relative for numbers that were summed in another order, as numpy and PyTorch compare them.
/// For 16 bits two units of the last place, by which single rounded results differ; 0 for whole numbers.
double usual_share(ElementType type);

/// The result of a comparison with the reference.
struct Comparison {
  /// The largest |out - ref|; with Bounds::each, that of the element farthest beyond its bound. Equal
  /// infinities differ by 0, a NaN and a NaN too; any other NaN and an element that was never written differ
  /// by infinity.
  double worst_error = 0;
  std::uint64_t worst_index = 0;  ///< of that element in the dense tensor
  double worst_value = 0;         ///< the output's value there
  double worst_reference = 0;     ///< the reference there
  std::uint64_t wrong = 0;        ///< elements beyond the tolerance
  double total_error = 0;         ///< sum of |out - ref|
  bool unwritten = false;         ///< the worst element still has the poison of before the run
};

/// Compares every element of an output with a reference of f64 elements and equal extents. Runs on all cores.
/// Throws std::logic_error where the extents differ. `relative` must have been added to `absolute`.
Comparison compare(const TensorView& output, const TensorView& reference, const Bounds& bounds);

/// True where no element and no sum is beyond the bounds.
bool is_right(const Comparison& comparison, const Bounds& bounds);

/// Returns the failure for a comparison that is not right. It names the worst element by its coordinates.
Failure wrong_result(const Comparison& comparison, const Extents& extents, const Bounds& bounds,
                     const std::string& buffer);

}  // namespace tune
