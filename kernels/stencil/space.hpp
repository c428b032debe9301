// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/stencil/size.hpp"
#include "search/space/parameter.hpp"
#include "tuner/core/device_facts.hpp"

namespace tune::kernels {

/// Parameters and constraints of stencil3d. Values that never came near the best on an H200 are left out; the
/// README says which.
search::SpaceDefinition stencil_space(const StencilSize& size, const DeviceFacts& device);

}  // namespace tune::kernels
