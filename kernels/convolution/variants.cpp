// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "kernels/convolution/model/variant.hpp"
#include "kernels/convolution/variants/direct2d.hpp"
#include "kernels/convolution/variants/fft.hpp"
#include "kernels/convolution/variants/fft_tile.hpp"
#include "kernels/convolution/variants/fused.hpp"
#include "kernels/convolution/variants/single_block.hpp"
#include "kernels/convolution/variants/tensor.hpp"
#include "kernels/convolution/variants/two_pass.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr ConvolutionVariant table[] = {
    {"two_pass", "a kernel for rows, one for columns, a scratch image between", two_pass_applies,
     plan_two_pass, two_pass_tile, add_two_pass_parameters, add_two_pass_rules},
    {"fused", "warps march down strips of columns, with the sums of both passes in registers", fused_applies,
     plan_fused, fused_tile, add_fused_parameters, add_fused_rules},
    {"tensor", "warps march down strips of columns: products with matrices of the taps, by tensor cores",
     tensor_convolution_applies, plan_tensor_convolution, tensor_convolution_tile,
     add_tensor_convolution_parameters, add_tensor_convolution_rules},
    {"fft_tile", "pieces of rows and of columns are convolved by Fourier transforms in shared memory",
     fft_tile_applies, plan_fft_tile, fft_tile_tile, add_fft_tile_parameters, add_fft_tile_rules},
    {"fft", "Fourier transforms of the whole image, by a library", fft_applies, plan_fft, fft_tile_size,
     add_fft_parameters, add_fft_rules},
    {"direct2d", "not separated: all products of taps in one pass", direct2d_applies, plan_direct2d,
     direct2d_tile, add_direct2d_parameters, add_direct2d_rules},
    {"single_block", "one block takes all pixels in turn", single_block_applies, plan_single_block,
     single_block_tile, add_single_block_parameters, add_single_block_rules},
};

}  // namespace

std::span<const ConvolutionVariant> convolution_variants() {
  return table;
}

const ConvolutionVariant& convolution_variant(const Configuration& configuration) {
  const std::string& name = configuration["variant"].as_text();
  for (const ConvolutionVariant& variant : table)
    if (variant.name == name) return variant;
  throw std::out_of_range(format("no convolution variant '{}'", name));
}

}  // namespace tune::kernels
