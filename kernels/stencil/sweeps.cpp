// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/sweeps.hpp"

#include <limits>

#include "kernels/stencil/geometry.hpp"
#include "kernels/stencil/launches.hpp"

namespace tune::kernels {
namespace {

constexpr std::int64_t constant_memory = 64 * 1024;

Result<LaunchPlan> plan_of(const StencilJob& job, const Configuration& configuration,
                           CompileRequest request) {
  const StencilGeometry geometry = stencil_geometry(job, configuration);
  const Result<Dim3> grid = stencil_grid(job, geometry);
  if (!grid) return tl::unexpected<Failure>(grid.error());
  const Layout layout = stencil_layout(job, geometry, configuration["padded"].as_bool());
  if (layout.strides[1] > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    return fail(Phase::constraint, "extent", "a row does not fit the kernel's 32-bit pitch");
  LaunchPlan plan;
  plan.compile = std::move(request);
  if (job.dimensions == 2)  // the y axis has no parameters
    for (const char* name : {"BLOCK_Y", "CELLS_Y"}) plan.compile.defines.emplace_back(name, "1");
  plan.compile.entries = {"stencil_step"};
  Launch launch;
  launch.entry = "stencil_step";
  launch.grid = *grid;
  launch.block = geometry.block;
  launch.dynamic_shared_memory = geometry.shared_bytes;
  launch.arguments = extent_arguments(job, layout);
  add_alternating(plan, job, layout, std::vector<Launch>(static_cast<std::size_t>(job.steps), launch));
  return plan;
}

}  // namespace

Result<LaunchPlan> plan_direct(const StencilJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  return plan_of(job, configuration,
                 stencil_request(job, job.stencil, "direct.cu",
                                 {"boundary.cuh", "indices.cuh", "vectors.cuh"}, configuration, sources));
}

Result<LaunchPlan> plan_streaming(const StencilJob& job, const Configuration& configuration,
                                  const KernelSources& sources) {
  CompileRequest request = stencil_request(
      job, job.stencil, "streaming.cu",
      {"async_copy.cuh", "boundary.cuh", "indices.cuh", "streaming_inputs.cuh", "streaming_partial_sums.cuh",
       "streaming_planes.cuh", "streaming_sums.cuh", "streaming_tile.cuh", "vectors.cuh"},
      configuration, sources);
  // Only a star has a choice of the queue.
  if (!configuration.has("queue")) request.defines.emplace_back("QUEUE", "Queue::partial_sums");
  return plan_of(job, configuration, std::move(request));
}

bool sweeps_apply(const StencilJob& job) {
  return constant_bytes(job) <= constant_memory;
}

}  // namespace tune::kernels
