// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tuner/plan/launch_plan.hpp"

// Buffers that hold a part of a tensor (BufferSpec::part). All functions take buffers of whole tensors, too.

namespace tune {

/// Returns the name of the tensor.
const std::string& tensor_name(const BufferSpec& buffer);

/// Returns the part of its tensor that fills a buffer. Throws Error where the tensor has other elements or
/// extents, or no such planes.
TensorView filling(const BufferSpec& buffer, const TensorView& tensor);

/// Returns the layout of the results in an output.
Layout results_layout(const BufferSpec& output);

/// Returns the part of a reference that an output is compared with. Throws Error as `filling`, but for the
/// elements.
TensorView reference_part(const BufferSpec& output, const TensorView& reference);
/// Returns the bounds of that part.
Bounds bounds_of_part(const BufferSpec& output, Bounds bounds);
/// Names the worst element by its index in the whole tensor instead of in the results.
Comparison in_tensor(const BufferSpec& output, Comparison comparison);

/// Returns the extents of the tensor of which the plan's outputs hold parts: those of this buffer, with the
/// planes of all.
Extents tensor_extents(const LaunchPlan& plan, const BufferSpec& output);

}  // namespace tune
