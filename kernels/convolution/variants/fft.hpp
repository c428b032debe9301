// SPDX-License-Identifier: Apache-2.0
// `fft`: Fourier transforms of the whole image, by a library.
#pragma once

#include "kernels/convolution/model/variant.hpp"

namespace tune::kernels {

bool fft_applies(const ConvolutionJob& job);
Result<LaunchPlan> plan_fft(const ConvolutionJob& job, const Configuration& configuration,
                            const KernelSources& sources);
ConvolutionTile fft_tile_size(const ConvolutionJob& job, const Configuration& configuration);
void add_fft_parameters(const ConvolutionJob& job, std::vector<search::Parameter>& parameters);
void add_fft_rules(const ConvolutionJob& job, std::vector<search::Constraint>& rules);

}  // namespace tune::kernels
