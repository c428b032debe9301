// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/sweeps.hpp"

#include <limits>

#include "kernels/stencil/plan/geometry.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::kernels {
Result<SweepLaunch> sweep_launch(const StencilJob& job, const Configuration& configuration) {
  const StencilGeometry geometry = stencil_geometry(job, configuration);
  const Result<Dim3> grid = stencil_grid(job, geometry);
  if (!grid) return tl::unexpected<Failure>(grid.error());
  SweepLaunch sweep;
  sweep.layout = stencil_layout(job, geometry, configuration["padded"].as_bool());
  if (sweep.layout.strides[1] > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    return fail(Phase::constraint, "extent", "a row does not fit the kernel's 32-bit pitch");
  sweep.launch.entry = "stencil_step";
  sweep.launch.grid = *grid;
  sweep.launch.block = geometry.block;
  sweep.launch.dynamic_shared_memory = geometry.shared_bytes;
  sweep.launch.arguments = extent_arguments(job, sweep.layout);
  if (takes_boxes(configuration)) {
    const BufferSpec array{"in", job.type, sweep.layout, BufferRole::input, true};
    sweep.map = map_of(array, geometry.box);
    if (const Result<void> right = check_tensor_map(array, *sweep.map); !right)
      return fail(Phase::constraint, "tensor map", right.error().detail);
  }
  return sweep;
}

void add_axis_macros(const StencilJob& job, CompileRequest& request) {
  if (job.dimensions == 3) return;
  for (const char* name : {"BLOCK_Y", "CELLS_Y"}) request.defines.emplace_back(name, "1");
}

Result<LaunchPlan> plan_sweeps(const StencilJob& job, const Configuration& configuration,
                               const KernelSources& sources, std::string_view file,
                               const std::vector<std::pair<std::string, std::string>>& macros) {
  Result<SweepLaunch> sweep = sweep_launch(job, configuration);
  if (!sweep) return tl::unexpected<Failure>(sweep.error());
  LaunchPlan plan;
  plan.compile = stencil_request(job, job.stencil, file, configuration, sources);
  plan.compile.defines.insert(plan.compile.defines.end(), macros.begin(), macros.end());
  add_axis_macros(job, plan.compile);
  plan.compile.entries = {"stencil_step"};
  add_alternating(plan, job, sweep->layout,
                  std::vector<Launch>(static_cast<std::size_t>(job.steps), sweep->launch), sweep->map);
  return plan;
}

}  // namespace tune::kernels
