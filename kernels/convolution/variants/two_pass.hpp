// SPDX-License-Identifier: Apache-2.0
// `two_pass`: a kernel for the rows, one for the columns, and a scratch image between.
#pragma once

#include "kernels/convolution/model/variant.hpp"

namespace tune::kernels {

bool two_pass_applies(const ConvolutionJob& job);
Result<LaunchPlan> plan_two_pass(const ConvolutionJob& job, const Configuration& configuration,
                                 const KernelSources& sources);
ConvolutionTile two_pass_tile(const ConvolutionJob& job, const Configuration& configuration);
void add_two_pass_parameters(const ConvolutionJob& job, std::vector<search::Parameter>& parameters);
void add_two_pass_rules(const ConvolutionJob& job, std::vector<search::Constraint>& rules);

}  // namespace tune::kernels
