// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/variants/single_block.hpp"

#include "kernels/convolution/model/launches.hpp"
#include "kernels/convolution/model/rules.hpp"

namespace tune::kernels {

/// Larger images take one multiprocessor too long.
bool single_block_applies(const ConvolutionJob& job) {
  constexpr std::int64_t max_pixels = 1024 * 1024;
  return job.nx <= max_pixels && job.ny <= max_pixels && job.nx * job.ny <= max_pixels;
}

ConvolutionTile single_block_tile(const ConvolutionJob&, const Configuration&) {
  return {32, 40};
}

Result<LaunchPlan> plan_single_block(const ConvolutionJob& job, const Configuration& configuration,
                                     const KernelSources& sources) {
  const Layout image = image_layout(job, configuration["padded"].as_bool());
  LaunchPlan plan;
  plan.compile = convolution_request(job, "convolution/single_block.cu", {}, configuration, sources);
  plan.compile.entries = {"convolve_in_block"};
  add_images(plan, job, image);
  plan.buffers.push_back({"between", job.type, Layout::dense(job.extents()), BufferRole::scratch});
  Launch launch;
  launch.entry = "convolve_in_block";
  launch.block.x = static_cast<std::uint32_t>(configuration["threads"].as_int());
  launch.arguments = {BufferArgument{"in"},
                      BufferArgument{"between"},
                      BufferArgument{"out"},
                      ScalarArgument{static_cast<std::int32_t>(job.nx)},
                      ScalarArgument{static_cast<std::int32_t>(job.ny)},
                      ScalarArgument{static_cast<std::int64_t>(image.strides[1])}};
  plan.launches.emplace_back(std::move(launch));
  return plan;
}

/// `threads` is that of the marching warps, too.
void add_single_block_parameters(const ConvolutionJob&, std::vector<search::Parameter>&) {}

void add_single_block_rules(const ConvolutionJob&, std::vector<search::Constraint>&) {}

}  // namespace tune::kernels
