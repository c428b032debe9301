// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/model/variant.hpp"

namespace tune::kernels {

// Each is defined in variants/<name>.cpp.
ConvolutionVariant two_pass_convolution(), fused_convolution(), tensor_convolution(), fft_tile_convolution(),
    fft_convolution(), direct2d_convolution(), single_block_convolution();

const VariantTable<ConvolutionJob, ConvolutionTile>& convolution_variants() {
  static const VariantTable<ConvolutionJob, ConvolutionTile> table(
      "convolution",
      {two_pass_convolution(), fused_convolution(), tensor_convolution(), fft_tile_convolution(),
       fft_convolution(), direct2d_convolution(), single_block_convolution()});
  return table;
}

}  // namespace tune::kernels
