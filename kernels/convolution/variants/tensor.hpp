// SPDX-License-Identifier: Apache-2.0
// `tensor`: both passes as products with matrices of taps, by tensor cores.
#pragma once

#include "kernels/convolution/model/variant.hpp"

namespace tune::kernels {

bool tensor_convolution_applies(const ConvolutionJob& job);
Result<LaunchPlan> plan_tensor_convolution(const ConvolutionJob& job, const Configuration& configuration,
                                           const KernelSources& sources);
ConvolutionTile tensor_convolution_tile(const ConvolutionJob& job, const Configuration& configuration);
void add_tensor_convolution_parameters(const ConvolutionJob& job, std::vector<search::Parameter>& parameters);
void add_tensor_convolution_rules(const ConvolutionJob& job, std::vector<search::Constraint>& rules);

}  // namespace tune::kernels
