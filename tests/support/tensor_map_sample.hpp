// SPDX-License-Identifier: Apache-2.0
// Boxes at many places of a tensor, copied through a tensor map, for whatever carries plans out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune::testing {

struct TensorMapSample {
  /// One kernel `k`, a block for each box: out[e, i] is element e of box i.
  LaunchPlan plan;
  TensorSet inputs;  ///< `in`; `at`, 3 coordinates of each box
  std::uint64_t boxes = 0, elements = 0;

  /// What `out` holds by the definition: the tensor's elements, zeros outside, of the type of `in`.
  std::vector<std::byte> expected() const;
  std::string text() const;
};

/// `header` is the text of kernels/common/tensor_copy.cuh. The buffer has gaps: rows are as long as the map
/// needs and one 16-byte piece longer, and the map begins `begin` elements along each dimension into it.
TensorMapSample tensor_map_sample(const std::string& header, ElementType type,
                                  std::vector<std::uint64_t> extents, std::vector<std::uint32_t> box,
                                  std::uint64_t begin = 0, MapSwizzle swizzle = MapSwizzle::none);
/// Types of 1 to 8 bytes, two and three dimensions, boxes smaller and larger than the tensor, every swizzle.
std::vector<TensorMapSample> all_tensor_map_samples(const std::string& header);

}  // namespace tune::testing
