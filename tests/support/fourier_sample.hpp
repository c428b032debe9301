// SPDX-License-Identifier: Apache-2.0
// Plans with Fourier transforms and what must come of them, for whatever carries plans out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/plan/fourier_shape.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::testing {

struct FourierCase {
  FourierDirection direction = FourierDirection::forward;
  ElementType type = ElementType::f32;
  Extents extents;
  bool in_place = false;
  bool padded = false;   ///< gaps behind rows and planes and before the first row
  std::size_t axes = 3;  ///< FourierTransform::axes

  std::string text() const;
  /// Of the dense tensors: real numbers {nx, ny, nz}, complex ones {2 * (nx / 2 + 1), ny, nz}.
  Extents real_extents() const { return extents; }
  Extents complex_extents() const;
};

/// Both directions and types, in and out of place, with and without gaps, of extents that are even, odd,
/// prime and 1, in one to three dimensions, along all of them and along all but the last one.
std::vector<FourierCase> all_fourier_cases();

/// A tensor and its transform by the definition, as f64: sums over all cells for every element. What an
/// inverse transform gives is the tensor times the number of cells of a transform.
struct FourierPair {
  HostTensor from, to;
};
FourierPair fourier_pair(const FourierCase& of);

/// Largest error that rounding in the case's type explains.
double fourier_tolerance(const FourierCase& of, const FourierPair& pair);

struct FourierSample {
  LaunchPlan plan;
  TensorSet inputs;     ///< `in`
  TensorSet reference;  ///< `out`
  Tolerance tolerance;
};

/// Kernel `spread` copies `in` to the rows of a scratch buffer `work`, which is transformed to `out`; or to
/// those of `out`, which is transformed in place.
FourierSample fourier_sample(const FourierCase& of);

/// Five steps that move `in` cyclically by one to three cells along each dimension: `spread` copies it to
/// `work`; forward to `spectrum`, or in place; `turn` multiplies each element by a factor of absolute value 1
/// / cells; inverse to `work`; `spread` copies that to `out`.
FourierSample moving_sample(ElementType type, const Extents& extents, bool in_place);

/// The arguments of kernel `spread`: source and target, then these ints.
enum class SpreadArgument : std::size_t {
  first = 2,  ///< column of the source that becomes column 0
  row,        ///< elements of a row
  rows_y,     ///< rows of a plane
  rows,       ///< all of them
  from_row,
  from_plane,
  to_row,
  to_plane
};

}  // namespace tune::testing
