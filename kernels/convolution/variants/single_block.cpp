// SPDX-License-Identifier: Apache-2.0
// The variant `single_block`: one block takes all pixels in turn.
#include "kernels/convolution/model/variant.hpp"
#include "kernels/framework/request.hpp"

namespace tune::kernels {
namespace {

/// Larger images take one SM too long.
bool single_block_applies(const ConvolutionJob& job) {
  constexpr std::int64_t max_pixels = 1024 * 1024;
  return job.nx <= max_pixels && job.ny <= max_pixels && job.nx * job.ny <= max_pixels;
}

void add_single_block(FamilySpace& space, const ConvolutionJob& job) {
  add_shared(space, job, {"threads", "padded"});
}

ConvolutionTile single_block_tile(const ConvolutionJob&, const Configuration&) {
  return {32, 40};
}

Result<LaunchPlan> plan_single_block(const ConvolutionJob& job, const Configuration& configuration,
                                     const KernelSources& sources) {
  const Layout image = image_layout(job, configuration["padded"].as_bool());
  LaunchPlan plan;
  plan.compile = convolution_request(job, "single_block.cu", configuration, sources);
  plan.compile.entries = {"convolve_in_block"};
  add_images(plan, job, image);
  plan.buffers.push_back({"between", job.type, Layout::dense(job.extents()), BufferRole::scratch});
  plan.launches.emplace_back(
      make_launch("convolve_in_block", 1, block_of(configuration["threads"].as_int()),
                  {BufferArgument{"in"}, BufferArgument{"between"}, BufferArgument{"out"}, int32(job.nx),
                   int32(job.ny), int64(image.strides[1])}));
  return plan;
}

}  // namespace

ConvolutionVariant single_block_convolution() {
  return {"single_block",
          "one block takes all pixels in turn",
          single_block_applies,
          add_single_block,
          plan_single_block,
          single_block_tile,
          nullptr,
          seconds_of_one_pass};
}

}  // namespace tune::kernels
