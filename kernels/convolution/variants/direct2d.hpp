// SPDX-License-Identifier: Apache-2.0
// `direct2d`: all products of taps in one pass.
#pragma once

#include "kernels/convolution/model/variant.hpp"

namespace tune::kernels {

bool direct2d_applies(const ConvolutionJob& job);
Result<LaunchPlan> plan_direct2d(const ConvolutionJob& job, const Configuration& configuration,
                                 const KernelSources& sources);
ConvolutionTile direct2d_tile(const ConvolutionJob& job, const Configuration& configuration);
void add_direct2d_parameters(const ConvolutionJob& job, std::vector<search::Parameter>& parameters);
void add_direct2d_rules(const ConvolutionJob& job, std::vector<search::Constraint>& rules);

}  // namespace tune::kernels
