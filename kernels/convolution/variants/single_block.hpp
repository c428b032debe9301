// SPDX-License-Identifier: Apache-2.0
// `single_block`: one block takes all pixels in turn.
#pragma once

#include "kernels/convolution/model/variant.hpp"

namespace tune::kernels {

bool single_block_applies(const ConvolutionJob& job);
Result<LaunchPlan> plan_single_block(const ConvolutionJob& job, const Configuration& configuration,
                                     const KernelSources& sources);
ConvolutionTile single_block_tile(const ConvolutionJob& job, const Configuration& configuration);
void add_single_block_parameters(const ConvolutionJob& job, std::vector<search::Parameter>& parameters);
void add_single_block_rules(const ConvolutionJob& job, std::vector<search::Constraint>& rules);

}  // namespace tune::kernels
