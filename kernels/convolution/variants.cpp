// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/model/variant.hpp"

namespace tune::kernels {

using search::var;

const VariantTable<ConvolutionJob, ConvolutionTile>& convolution_variants() {
  static const VariantTable<ConvolutionJob, ConvolutionTile> table = {
      "convolution",
      {
          TUNE_VARIANT(ConvolutionVariant, two_pass_convolution),
          TUNE_VARIANT(ConvolutionVariant, fused_convolution),
          TUNE_VARIANT(ConvolutionVariant, tensor_convolution),
          TUNE_VARIANT(ConvolutionVariant, fft_tile_convolution),
          TUNE_VARIANT(ConvolutionVariant, fft_convolution),
          TUNE_VARIANT(ConvolutionVariant, direct2d_convolution),
          TUNE_VARIANT(ConvolutionVariant, single_block_convolution),
      },
  };
  return table;
}

search::SpaceDefinition convolution_space(const ConvolutionJob& job, const DeviceProperties& device) {
  FamilySpace space(convolution_constants(job), device);
  space.rule(var("padded") || var("nx") % var("vector") == 0,
             "vectors of an unpadded image need rows that are whole vectors: else they are not aligned");
  convolution_variants().add_to(space, job);
  // The numbers of configurations follow from this order: it must stay.
  return space.definition(
      {{"threads", "unroll", "taps", "padded", "vector", "store", "min_blocks", "chunk", "stages"}, {}});
}

}  // namespace tune::kernels
