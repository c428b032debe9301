// SPDX-License-Identifier: Apache-2.0
// `fft_tile`: Fourier transforms of pieces of rows and columns, in shared memory.
#pragma once

#include "kernels/convolution/model/variant.hpp"

namespace tune::kernels {

bool fft_tile_applies(const ConvolutionJob& job);
Result<LaunchPlan> plan_fft_tile(const ConvolutionJob& job, const Configuration& configuration,
                                 const KernelSources& sources);
ConvolutionTile fft_tile_tile(const ConvolutionJob& job, const Configuration& configuration);
void add_fft_tile_parameters(const ConvolutionJob& job, std::vector<search::Parameter>& parameters);
void add_fft_tile_rules(const ConvolutionJob& job, std::vector<search::Constraint>& rules);

}  // namespace tune::kernels
