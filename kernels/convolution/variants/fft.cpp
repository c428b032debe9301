// SPDX-License-Identifier: Apache-2.0
// The variant `fft`: Fourier transforms of the whole image, by a library.
#include <algorithm>
#include <limits>

#include "kernels/convolution/model/reference.hpp"
#include "kernels/convolution/model/variant.hpp"
#include "kernels/framework/request.hpp"

namespace tune::kernels {
namespace {

constexpr std::int64_t copy_threads = 256, each = 4;

/// Extents of the transforms: behind each row and column lie `radius` zeros.
struct Extended {
  Extended(const ConvolutionJob& job, std::int64_t largest)
      : nx(smooth_extent(job.nx + job.radius, largest, 8)),
        ny(smooth_extent(job.ny + job.radius, largest, 8)) {}
  std::int64_t values() const { return nx / 2 + 1; }
  Extents extents() const { return {static_cast<std::uint64_t>(nx), static_cast<std::uint64_t>(ny)}; }
  std::int64_t nx, ny;
};

void add_buffers(LaunchPlan& plan, const ConvolutionJob& job, const Extended& extended, const Layout& in) {
  // The result is a part of the transformed image.
  Layout out = Layout::dense(extended.extents());
  out.extents = job.extents();
  plan.buffers.push_back({"in", job.type, in, BufferRole::input, true});
  plan.buffers.push_back({"out", job.type, out, BufferRole::output, true});
  plan.buffers.push_back(
      {"extended", job.type, Layout::dense(extended.extents()), BufferRole::scratch, true, BufferFill::zero});
  plan.buffers.push_back({"modes", job.type,
                          Layout::dense({static_cast<std::uint64_t>(2 * extended.values()),
                                         static_cast<std::uint64_t>(extended.ny)}),
                          BufferRole::scratch});
  plan.buffers.push_back({"tables", job.type,
                          Layout::dense({static_cast<std::uint64_t>(2 * (extended.values() + extended.ny))}),
                          BufferRole::scratch});
}

void add_fft(FamilySpace& space, const ConvolutionJob& job) {
  add_shared(space, job, {"padded", "vector"});
  space.add("largest_factor", "largest prime factor of the extents that are transformed", {2, 3, 5, 7}, 7);
}

ConvolutionTile fft_sizes(const ConvolutionJob&, const Configuration&) {
  return {16, 8};
}

Result<LaunchPlan> plan_fft(const ConvolutionJob& job, const Configuration& configuration,
                            const KernelSources& sources) {
  const Extended extended(job, configuration["largest_factor"].as_int());
  const std::int64_t vector = configuration["vector"].as_int();
  const std::int64_t copies = ceil_div(job.nx, copy_threads * each * vector) * job.ny;
  const std::int64_t products = ceil_div(extended.values(), copy_threads * each) * extended.ny;
  if (std::max(copies, products) > std::numeric_limits<std::int32_t>::max())
    return fail(Phase::constraint, "grid", "more blocks than a grid can have");
  const Layout in = image_layout(job, configuration["padded"].as_bool());

  LaunchPlan plan;
  plan.compile = convolution_request(job, "fft.cu", configuration, sources);
  std::erase_if(plan.compile.defines, [](const auto& define) { return define.first == "LARGEST_FACTOR"; });
  plan.compile.entries = {"fft_copy", "fft_multiply", "fft_tables"};
  add_buffers(plan, job, extended, in);
  const Dim3 block = block_of(copy_threads);
  plan.setup.emplace_back(make_launch("fft_tables", ceil_div(extended.values() + extended.ny, copy_threads),
                                      block,
                                      {BufferArgument{"tables"}, int32(extended.nx), int32(extended.ny)}));
  plan.launches.emplace_back(make_launch("fft_copy", copies, block,
                                         {BufferArgument{"in"}, BufferArgument{"extended"}, int32(job.nx),
                                          int64(in.strides[1]), int32(extended.nx)}));
  plan.launches.emplace_back(
      FourierTransform{FourierDirection::forward, "extended", "modes", extended.extents(), 2});
  plan.launches.emplace_back(
      make_launch("fft_multiply", products, block,
                  {BufferArgument{"modes"}, BufferArgument{"tables"}, int32(extended.values())}));
  plan.launches.emplace_back(
      FourierTransform{FourierDirection::inverse, "modes", "out", extended.extents(), 2});
  plan.tolerance =
      transforms_tolerance(job, static_cast<double>(extended.nx), static_cast<double>(extended.ny));
  return plan;
}

}  // namespace

ConvolutionVariant fft_convolution() {
  return {"fft", "Fourier transforms of the whole image, by a library", always, add_fft, plan_fft, fft_sizes};
}

}  // namespace tune::kernels
