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

// The search space of the family.

using search::Expr;
using search::Role;
using search::var;

namespace {

/// Adds parameters that several variants have.
void add_shared_parameters(FamilySpace& space, const ConvolutionJob& job) {
  const Expr sums = in(var("variant"), {"two_pass", "fused", "direct2d"});
  const Expr marches = in(var("variant"), {"fused", "tensor"});
  const Expr loads = sums || marches || in(var("variant"), {"fft_tile", "fft", "single_block"});
  const Expr own = sums || marches || is_variant("fft_tile");
  std::vector<search::Value> vectors = {1, 2};
  if (job.type == ElementType::f32) vectors.emplace_back(4);
  const Expr threads = in(var("variant"), {"fused", "single_block"});
  const Expr loops = in(var("variant"), {"two_pass", "direct2d"});
  space.add({"threads",
             "threads of a block; fused: each warp has a strip of columns of its own",
             {32, 64, 128, 256, 512, 1024},
             64,
             threads,
             Role::threads});
  space.add({"unroll", "whether the loops over taps are unrolled", {false, true}, job.radius <= 4, loops});
  space.add(
      {"taps",
       "where multiply-adds find the taps: in the instruction (immediate), in constant memory, or in shared "
       "memory",
       {"immediate", "constant", "shared"},
       "constant",
       sums});
  space.add({"padded", "whether rows of the images are whole lines of memory", {false, true}, true, loads});
  space.add({"vector", "pixels of an access to the images; fft_tile: of a store of the result", vectors,
             job.vector_width(), loads && !is_variant("single_block")});
  space.add({"store",
             "path of the stores of the result: ordinary, or evict first (st.global.cs)",
             {"plain", "streaming"},
             "plain",
             own});
  space.add(min_blocks({1, 2, 3, 4, 6, 8}, sums || marches));
}

/// What is the fastest as a rule, at sizes that fill a device.
const char* usual_variant(const FamilySpace& space, const ConvolutionJob& job) {
  if (space.offers("tensor")) return "tensor";
  return job.radius >= 64 ? "fft_tile" : "two_pass";
}

}  // namespace

search::SpaceDefinition convolution_space(const ConvolutionJob& job, const DeviceProperties& device) {
  FamilySpace space(convolution_constants(job), device);
  add_shared_parameters(space, job);
  space.rule(var("padded") || var("nx") % var("vector") == 0,
             "vectors of an unpadded image need rows that are whole vectors: else they are not aligned");
  convolution_variants().add_to(space, job);
  return space.definition(
      usual_variant(space, job),
      {{"threads", "unroll", "taps", "padded", "vector", "store", "min_blocks", "chunk", "stages"}, {}});
}

}  // namespace tune::kernels
