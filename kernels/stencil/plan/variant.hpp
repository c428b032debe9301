// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/framework/variant.hpp"
#include "kernels/stencil/model/job.hpp"

namespace tune::kernels {

/// A small job, in the axes of the kernels.
struct CheckSize {
  std::int64_t nx = 0, ny = 0, nz = 0, steps = 1;
};

/// Checked: sizes that are no multiples of anything, at which a configuration of the job is valid: with cells
/// that no boundary concerns, and without; steps that run a whole launch and one of what is left over.
using StencilVariant = Variant<StencilJob, std::vector<CheckSize>>;

/// All variants. A new one is a folder below variants/ and a line in this table.
const VariantTable<StencilJob, std::vector<CheckSize>>& stencil_variants();

/// Parameters and constraints of all variants.
search::SpaceDefinition stencil_space(const StencilJob& job, const DeviceProperties& device);

}  // namespace tune::kernels
