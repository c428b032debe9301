// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tuner/backends/cuda/plan/buffers.hpp"
#include "tuner/backends/cuda/plan/device_context.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::cuda {

/// Failure{verify} where something lies in a zone around a buffer that was not put there by `fill`, or where
/// an input is no longer what it was filled with, its padding included.
Result<void> check_memory(const PlanBuffers& buffers, DeviceContext& context);

/// Compares an output, which was staged if it lies on the host, with a reference on the host, which is kept
/// on the device where there is room, else sent in parts. Nothing for a layout of more dimensions with gaps
/// than the kernel knows. Throws std::logic_error where the reference does not fit the output.
Result<std::optional<Comparison>> compare_on_device(const PlanBuffer& output, const TensorView& reference,
                                                    const Bounds& bounds, DeviceContext& context);

}  // namespace tune::cuda
