// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tuner/plan/launch_plan.hpp"
#include "tuner/plan/tensor_map_shape.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::cuda {

/// A CUtensorMap: what a kernel's parameter holds.
struct alignas(tensor_map_alignment) EncodedMap {
  std::byte bytes[tensor_map_bytes];
};

/// The map over elements of this type, where logical element (0, 0, ...) of the buffer is at `first`. The
/// driver's function is asked for at run time, so that nothing is linked to libcuda. Throws Error where the
/// driver refuses what check_tensor_maps let pass.
EncodedMap encode(const TensorMapSpec& map, ElementType type, std::byte* first);

}  // namespace tune::cuda
