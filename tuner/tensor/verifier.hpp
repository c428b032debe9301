// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tuner/base/failure.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune {

/// How far the elements of an output may be from the reference: |out - ref| <= max(absolute, each * |ref|).
struct Bounds {
  double absolute = 0;
  double relative = 0;  ///< share of the largest |ref| of the output: is added to `absolute` once it is known
  double each = 0;      ///< share of the element's own |ref|
  double sum = 0;       ///< limit of the sum of |out - ref| over the output; 0: none
  /// For each axis, the fastest first: a limit for each place along it, or nothing. An element has the
  /// smallest of `absolute` and those of its places.
  std::vector<std::vector<double>> limits_along = {};

  /// True where elements have limits along an axis.
  bool limited() const;
  /// Returns what `absolute` is for this element of an output of such extents.
  double absolute_at(std::uint64_t index, const Extents& extents) const;
};

/// How far the outputs may be from the reference: |out - ref| <= absolute, for every element.
struct Tolerance {
  double absolute = 0;
  std::string derivation = {};  ///< one sentence on where the number comes from
  /// Share of the largest |ref| of all outputs: is added to `absolute` once the reference is known.
  double relative = 0;
  /// The bounds of outputs that have their own, by the name of the buffer.
  std::map<std::string, Bounds> buffers = {};
  /// Where results can be small beside the tolerance: why errors grow, and what to do about it. A check is
  /// refused where most results are smaller than the tolerance, so that they could be anything, and the user
  /// is told where the tolerance is a large share of them. Without a cure neither is done.
  std::string cause = {};
  std::string cure = {};
  /// For each axis of the outputs: a bound of |value| for each place along it, or nothing, as
  /// `Bounds::limits_along`. Where results vanish near a face, their errors do, too. Those of a plan are the
  /// problem's.
  std::vector<std::vector<double>> values_along = {};
  /// The share of these bounds by which an element may differ, where that is less than `absolute`. 0: the
  /// errors of this algorithm do not vanish with the values.
  double share_of_values = 0;

  /// Returns the bounds of this output.
  Bounds of(const std::string& buffer) const;
};

/// Returns Bounds::relative for numbers that were summed in another order, as numpy and PyTorch compare them.
/// For 16 bits two units of the last place, by which single rounded results differ; 0 for whole numbers.
double usual_share(ElementType type);

/// The result of a comparison with the reference.
struct Comparison {
  /// The largest |out - ref| of the elements beyond their bounds, of all where none is; with Bounds::each,
  /// that of the element farthest beyond its bound. Equal infinities differ by 0, a NaN and a NaN too; any
  /// other NaN and an element that was never written differ by infinity.
  double worst_error = 0;
  std::uint64_t worst_index = 0;  ///< of that element in the dense tensor
  double worst_value = 0;         ///< the output's value there
  double worst_reference = 0;     ///< the reference there
  std::uint64_t wrong = 0;        ///< elements beyond the tolerance
  double total_error = 0;         ///< sum of |out - ref|
  bool unwritten = false;         ///< the worst element still has the poison of before the run
  bool no_reference = false;      ///< the reference of that element has it: nothing wrote it
};

/// Limits of single elements of an output, besides its Bounds: f64 with the output's extents, or empty.
struct ElementLimits {
  HostTensor absolute = {};  ///< is added to Bounds::absolute; infinite: the element does not count
  HostTensor each = {};      ///< replaces Bounds::each

  bool any() const;
  bool counts(std::uint64_t index) const;
  /// Returns how many elements of an output with so many count.
  std::uint64_t counted(std::uint64_t elements) const;
};

/// Limits by the name of the output; others have none.
using LimitSet = std::map<std::string, ElementLimits, std::less<>>;
const ElementLimits& element_limits(const LimitSet& limits, const std::string& output);

/// Throws std::logic_error unless the reference has the extents of the output, and f64 elements or those of
/// as_reference.
void check_reference(const TensorView& output, const TensorView& reference);

/// Throws std::logic_error unless the limits along each axis are as many as there are places.
void check_limits(const Bounds& bounds, const Extents& extents);

/// Compares every element of an output with a reference (as_reference) of equal extents. Runs on all cores.
/// Throws std::logic_error as check_reference and check_limits. `relative` must have been added to
/// `absolute`.
Comparison compare(const TensorView& output, const TensorView& reference, const Bounds& bounds,
                   const ElementLimits& limits = {});

/// True where no element and no sum is beyond the bounds.
bool is_right(const Comparison& comparison, const Bounds& bounds);

/// Returns the failure for a comparison that is not right. It names the worst element by its coordinates.
Failure wrong_result(const Comparison& comparison, const Extents& extents, const Bounds& bounds,
                     const std::string& buffer, const ElementLimits& limits = {});

}  // namespace tune
