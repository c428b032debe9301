// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/variants/fused.hpp"

#include "kernels/convolution/model/launches.hpp"
#include "kernels/convolution/model/rules.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Role;
using search::var;

/// Bytes of the ring of a block's warps.
std::int64_t ring_bytes(const ConvolutionJob& job, const Configuration& configuration) {
  const std::int64_t vector_width = job.vector_width(),
                     aligned_halo = (job.radius + vector_width - 1) / vector_width * vector_width;
  const std::int64_t row = 32 * configuration["pixels_x"].as_int() + 2 * aligned_halo;
  return configuration["threads"].as_int() / 32 * configuration["stages"].as_int() *
         configuration["step"].as_int() * row * job.element_bytes();
}

}  // namespace

/// Two columns of sums fit the registers of a thread.
bool fused_applies(const ConvolutionJob& job) {
  constexpr int max_sums = 200;  // 32-bit words
  return 2 * job.radius * job.element_bytes() / 4 <= max_sums && job.radius <= 64;
}

ConvolutionTile fused_tile(const ConvolutionJob&, const Configuration& configuration) {
  return {configuration["threads"].as_int() * configuration["pixels_x"].as_int(),
          configuration["chunk"].as_int()};
}

Result<LaunchPlan> plan_fused(const ConvolutionJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  const ConvolutionTile tile = fused_tile(job, configuration);
  const Result<std::uint32_t> blocks = blocks_of_tiles(job, tile.x, tile.y);
  if (!blocks) return tl::unexpected<Failure>(blocks.error());
  const Layout image = image_layout(job, configuration["padded"].as_bool());
  LaunchPlan plan;
  plan.compile = convolution_request(job, "convolution/fused.cu",
                                     {"common/async_copy.cuh", "common/vectors.cuh",
                                      "convolution/row_segment.cuh", "convolution/tap_sums.cuh"},
                                     configuration, sources);
  plan.compile.entries = {"convolve_fused"};
  add_images(plan, job, image);
  Launch launch;
  launch.entry = "convolve_fused";
  launch.grid.x = *blocks;
  launch.block.x = static_cast<std::uint32_t>(configuration["threads"].as_int());
  launch.dynamic_shared_memory = static_cast<std::uint64_t>(ring_bytes(job, configuration));
  launch.arguments = {BufferArgument{"in"}, BufferArgument{"out"},
                      ScalarArgument{static_cast<std::int32_t>(job.nx)},
                      ScalarArgument{static_cast<std::int32_t>(job.ny)},
                      ScalarArgument{static_cast<std::int64_t>(image.strides[1])}};
  plan.launches.emplace_back(std::move(launch));
  return plan;
}

void add_fused_parameters(const ConvolutionJob& job, std::vector<search::Parameter>& parameters) {
  const Expr fused = convolution::is_variant("fused");
  const bool wide = job.type == ElementType::f64;
  const auto add = [&](search::Parameter parameter) { parameters.push_back(std::move(parameter)); };
  add({"pixels_x",
       "neighbouring pixels that a thread computes",
       {1, 2, 4},
       wide               ? 1
       : job.radius <= 20 ? 4
                          : 2,
       fused,
       Role::work});
  if (wide) parameters.back().values = {1, 2};
  if (!wide && job.radius > 20) parameters.back().values = {1, 2};
  if (!wide && job.radius > 48) parameters.back().default_value = 1;
  add({"step", "rows that a turn of the loop takes", {1, 2, 4, 8}, 4, fused});
  add({"ahead",
       "whether a row is read from shared memory before the row before is added to the results",
       {false, true},
       true,
       fused});
  add({"chains", "partial sums of a sum along x, which do not wait for each other", {1, 2}, 1, fused});
}

void add_fused_rules(const ConvolutionJob&, std::vector<search::Constraint>& all) {
  convolution::Rules rules(all, convolution::is_variant("fused"));
  rules.add(var("threads") <= 256, "warps share nothing: larger blocks only start and end together");
  rules.add(var("taps") != "shared", "unrolled loops have their taps as operands, not in shared memory");
  const Expr sums = var("radius") * 2 * var("pixels_x");
  rules.add(!var("ahead") || (sums + var("radius") * 2 + var("pixels_x") * 2) * var("words") + 20 <=
                                 var("thread_registers"),
            "the sums and the pixels of a row that is read ahead do not fit the registers");
  rules.add(sums * 2 * var("step") <= convolution::max_terms, convolution::too_many_terms);
  const Expr shared = floor_div(var("threads"), 32) * var("stages") * var("step") *
                      (var("pixels_x") * 32 + var("lead") * 2) * var("words") * 4;
  rules.add_block(var("threads"), (sums + var("pixels_x") * 2) * var("words") + 20, shared);
}

}  // namespace tune::kernels
