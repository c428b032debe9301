// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/variants/direct2d.hpp"

#include "kernels/convolution/model/launches.hpp"
#include "kernels/convolution/model/rounding.hpp"
#include "kernels/convolution/model/rules.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Role;
using search::var;

std::int64_t direct2d_shared_bytes(const ConvolutionJob& job, const Configuration& configuration) {
  const std::int64_t vector_width = job.vector_width(),
                     aligned_halo = (job.radius + vector_width - 1) / vector_width * vector_width;
  const std::int64_t rows = configuration["block_y"].as_int() * configuration["pixels_y"].as_int();
  return (rows + 2 * job.radius) * (configuration["block_x"].as_int() * vector_width + 2 * aligned_halo) *
         job.element_bytes();
}

}  // namespace

/// Beyond, two sums are cheaper by so much that nobody needs to measure it.
bool direct2d_applies(const ConvolutionJob& job) {
  constexpr int max = 8;
  return job.radius <= max;
}

ConvolutionTile direct2d_tile(const ConvolutionJob& job, const Configuration& configuration) {
  return {configuration["block_x"].as_int() * job.vector_width(),
          configuration["block_y"].as_int() * configuration["pixels_y"].as_int()};
}

Result<LaunchPlan> plan_direct2d(const ConvolutionJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  const ConvolutionTile tile = direct2d_tile(job, configuration);
  const Result<std::uint32_t> blocks = blocks_of_tiles(job, tile.x, tile.y);
  if (!blocks) return tl::unexpected<Failure>(blocks.error());
  const Layout image = image_layout(job, configuration["padded"].as_bool());
  LaunchPlan plan;
  plan.compile = convolution_request(
      job, "convolution/direct2d.cu",
      {"common/async_copy.cuh", "common/vectors.cuh", "convolution/row_segment.cuh"}, configuration, sources);
  plan.compile.headers.front().text =
      product_taps_header(job, configuration["taps"].as_text() == "immediate");
  plan.compile.entries = {"convolve_direct"};
  add_images(plan, job, image);
  Launch launch;
  launch.entry = "convolve_direct";
  launch.grid.x = *blocks;
  launch.block = {static_cast<std::uint32_t>(configuration["block_x"].as_int()),
                  static_cast<std::uint32_t>(configuration["block_y"].as_int())};
  launch.dynamic_shared_memory = static_cast<std::uint64_t>(direct2d_shared_bytes(job, configuration));
  launch.arguments = {BufferArgument{"in"}, BufferArgument{"out"},
                      ScalarArgument{static_cast<std::int32_t>(job.nx)},
                      ScalarArgument{static_cast<std::int32_t>(job.ny)},
                      ScalarArgument{static_cast<std::int64_t>(image.strides[1])}};
  plan.launches.emplace_back(std::move(launch));
  plan.tolerance = direct_tolerance(job);
  return plan;
}

void add_direct2d_parameters(const ConvolutionJob&, std::vector<search::Parameter>& parameters) {
  const Expr direct = convolution::is_variant("direct2d");
  parameters.push_back({"block_x",
                        "threads of a block along x, each with 16 bytes of a row",
                        {8, 16, 32, 64},
                        32,
                        direct,
                        Role::threads});
  parameters.push_back({"block_y", "threads of a block along y", {2, 4, 8, 16}, 4, direct, Role::threads});
  parameters.push_back(
      {"pixels_y", "pixels one above the other that a thread computes", {1, 2, 4, 8}, 2, direct, Role::work});
}

void add_direct2d_rules(const ConvolutionJob&, std::vector<search::Constraint>& all) {
  convolution::Rules rules(all, convolution::is_variant("direct2d"));
  const Expr width = var("radius") * 2 + 1, threads = var("block_x") * var("block_y");
  rules.add(var("taps") == "constant" || (var("taps") == "immediate" && var("unroll")),
            "taps are in constant memory, or in the instructions of an unrolled loop");
  rules.add(!var("unroll") || width * width * var("pixels_y") * var("lanes") <= convolution::max_terms,
            convolution::too_many_terms);
  rules.add(threads >= 64, "fewer than two warps a block cannot fill a multiprocessor");
  const Expr shared = (var("block_y") * var("pixels_y") + var("radius") * 2) *
                      (var("block_x") * var("lanes") + var("lead") * 2) * var("words") * 4;
  rules.add_block(threads, ((var("pixels_y") + 1) * var("lanes") + var("lead") * 2) * var("words") + 16,
                  shared);
}

}  // namespace tune::kernels
