// SPDX-License-Identifier: Apache-2.0
// The variant `fused`: both passes at once, warps that march down strips of columns.
#include "kernels/convolution/model/variant.hpp"
#include "kernels/framework/request.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Role;
using search::Value;
using search::var;

/// The two columns of sums must fit the registers of a thread.
bool fused_applies(const ConvolutionJob& job) {
  constexpr int max_sums = 200;  // 32-bit words
  return 2 * job.radius * job.element_bytes() / 4 <= max_sums && job.radius <= 64;
}

/// Returns the bytes of the ring of a block's warps.
Expr ring_bytes() {
  return floor_div(var("threads"), 32) * var("stages") * var("step") *
         (var("pixels_x") * 32 + var("lead") * 2) * var("words") * 4;
}

void add_fused(FamilySpace& space, const ConvolutionJob& job) {
  add_shared(space, job, {"threads", "taps", "padded", "vector", "store", "min_blocks", "chunk", "stages"});
  const bool wide = job.type == ElementType::f64;
  const int pixels = wide || job.radius > 48 ? 1 : job.radius > 20 ? 2 : 4;
  space.add("pixels_x", "neighbouring pixels that a thread computes",
            wide || job.radius > 20 ? std::vector<Value>{1, 2} : std::vector<Value>{1, 2, 4}, pixels, {},
            Role::work);
  space.add("step", "rows that a turn of the loop takes", {1, 2, 4, 8}, 4);
  space.add("ahead", "whether a row is read from shared memory before the row before is added to the results",
            {false, true}, true);
  space.add("chains", "partial sums of a sum along x, which do not wait for each other", {1, 2}, 1);
  const Rules rules = space.rules();
  rules.add(has_async_copies(), no_async_copies);
  rules.add(var("threads") <= 256, "warps share no data: larger blocks only start and end together");
  rules.add(var("taps") != "shared", "unrolled loops have their taps as operands, not in shared memory");
  const Expr sums = var("radius") * 2 * var("pixels_x");
  rules.add(!var("ahead") || (sums + var("radius") * 2 + var("pixels_x") * 2) * var("words") + 20 <=
                                 var("thread_registers"),
            "the sums and the pixels of a row that is read ahead do not fit the registers");
  rules.add(sums * 2 * var("step") <= max_convolution_terms, too_many_terms);
  add_block_rules(rules, var("threads"), (sums + var("pixels_x") * 2) * var("words") + 20, ring_bytes());
}

ConvolutionTile fused_tile(const ConvolutionJob&, const Configuration& configuration) {
  return {configuration["threads"].as_int() * configuration["pixels_x"].as_int(),
          configuration["chunk"].as_int()};
}

Result<LaunchPlan> plan_fused(const ConvolutionJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  const ConvolutionTile tile = fused_tile(job, configuration);
  return plan_tiles(job, configuration, sources, "fused.cu", "convolve_fused", {tile.x, tile.y},
                    block_of(configuration["threads"].as_int()), ring_bytes());
}

}  // namespace

ConvolutionVariant fused_convolution() {
  return {"fused",       "warps march down strips of columns, with the sums of both passes in registers",
          fused_applies, add_fused,
          plan_fused,    fused_tile,
          nullptr,       seconds_of_one_pass};
}

}  // namespace tune::kernels
