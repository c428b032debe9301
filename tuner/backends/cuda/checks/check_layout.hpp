// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tuner/backends/cuda/checks/types.cuh"
#include "tuner/backends/cuda/runtime/strided_copy.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::cuda {

/// Where the elements of a tensor lie, for the comparing kernel. Nothing for a layout of more dimensions with
/// gaps than it knows.
std::optional<checks::Placement> placement_of(const CopyShape& shape, std::size_t element_size);

/// What the findings of all blocks, and of all parts that were compared one after another, mean together: the
/// largest error, the first of equal ones, whatever their order.
Comparison combine(std::span<const checks::Finding> findings);

}  // namespace tune::cuda
