// SPDX-License-Identifier: Apache-2.0
// `fused`: warps that march down strips of columns, with the sums of both passes in registers.
#pragma once

#include "kernels/convolution/model/variant.hpp"

namespace tune::kernels {

bool fused_applies(const ConvolutionJob& job);
Result<LaunchPlan> plan_fused(const ConvolutionJob& job, const Configuration& configuration,
                              const KernelSources& sources);
ConvolutionTile fused_tile(const ConvolutionJob& job, const Configuration& configuration);
void add_fused_parameters(const ConvolutionJob& job, std::vector<search::Parameter>& parameters);
void add_fused_rules(const ConvolutionJob& job, std::vector<search::Constraint>& rules);

}  // namespace tune::kernels
