// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/convolution/model/job.hpp"
#include "kernels/framework/variant.hpp"

namespace tune::kernels {

/// The pixels that a block of a variant's kernels computes, of both passes the larger ones: what checks have
/// to exceed.
struct ConvolutionTile {
  std::int64_t x = 1, y = 1;
};

using ConvolutionVariant = Variant<ConvolutionJob, ConvolutionTile>;

/// All variants. A new one is a source with one function and a line in this table.
const VariantTable<ConvolutionJob, ConvolutionTile>& convolution_variants();

/// Parameters and constraints of all variants that apply to the job.
search::SpaceDefinition convolution_space(const ConvolutionJob& job, const DeviceProperties& device);

}  // namespace tune::kernels
