// SPDX-License-Identifier: Apache-2.0
// The variant `direct2d`: one pass over all products of taps.
#include "kernels/convolution/model/reference.hpp"
#include "kernels/convolution/model/variant.hpp"
#include "kernels/framework/request.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Role;
using search::var;

/// For a larger radius two sums are far cheaper.
bool direct2d_applies(const ConvolutionJob& job) {
  constexpr int max = 8;
  return job.radius <= max;
}

/// Returns the bytes of the pixels of a block's tile and their neighbours.
Expr direct2d_shared() {
  return (var("block_y") * var("pixels_y") + var("radius") * 2) *
         (var("block_x") * var("lanes") + var("lead") * 2) * var("words") * 4;
}

void add_direct2d(FamilySpace& space, const ConvolutionJob& job) {
  add_shared(space, job, {"unroll", "taps", "padded", "vector", "store", "min_blocks"});
  space.add("block_x", "threads of a block along x, each with 16 bytes of a row", {8, 16, 32, 64}, 32, {},
            Role::threads);
  space.add("block_y", "threads of a block along y", {2, 4, 8, 16}, 4, {}, Role::threads);
  space.add("pixels_y", "pixels one above the other that a thread computes", {1, 2, 4, 8}, 2, {}, Role::work);
  const Rules rules = space.rules();
  rules.add(has_async_copies(), no_async_copies);
  const Expr width = var("radius") * 2 + 1, threads = var("block_x") * var("block_y");
  rules.add(var("taps") == "constant" || (var("taps") == "immediate" && var("unroll")),
            "taps are in constant memory, or in the instructions of an unrolled loop");
  rules.add(!var("unroll") || width * width * var("pixels_y") * var("lanes") <= max_convolution_terms,
            too_many_terms);
  rules.add_min_threads(threads);
  add_block_rules(rules, threads,
                  ((var("pixels_y") + 1) * var("lanes") + var("lead") * 2) * var("words") + 16,
                  direct2d_shared());
}

ConvolutionTile direct2d_tile(const ConvolutionJob& job, const Configuration& configuration) {
  return {configuration["block_x"].as_int() * job.vector_width(),
          configuration["block_y"].as_int() * configuration["pixels_y"].as_int()};
}

Result<LaunchPlan> plan_direct2d(const ConvolutionJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  const ConvolutionTile tile = direct2d_tile(job, configuration);
  Result<LaunchPlan> plan = plan_tiles(
      job, configuration, sources, "direct2d.cu", "convolve_direct", {tile.x, tile.y},
      block_of(configuration["block_x"].as_int(), configuration["block_y"].as_int()), direct2d_shared());
  if (!plan) return plan;
  plan->compile.headers.front().text =
      product_taps_header(job, configuration["taps"].as_text() == "immediate");
  plan->tolerance = direct_tolerance(job);
  return plan;
}

}  // namespace

ConvolutionVariant direct2d_convolution() {
  return {"direct2d",       "not separated: all products of taps in one pass",
          direct2d_applies, add_direct2d,
          plan_direct2d,    direct2d_tile,
          nullptr,          seconds_of_one_pass};
}

}  // namespace tune::kernels
