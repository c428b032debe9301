// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/stencil/plan/variant.hpp"

namespace tune::kernels {

/// Adds rules of a sweep whose blocks march through planes.
void add_streaming_rules(FamilySpace& space, const SweptStencil& stencil);

Result<LaunchPlan> plan_streaming(const StencilJob& job, const Configuration& configuration,
                                  const KernelSources& sources);

}  // namespace tune::kernels
