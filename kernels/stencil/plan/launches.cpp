// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/launches.hpp"

#include <iterator>
#include <limits>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/framework/request.hpp"
#include "kernels/stencil/plan/geometry.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::kernels {
std::int64_t value_or_one(const search::Configuration& configuration, std::string_view name) {
  return configuration.has(name) ? configuration[name].as_int() : 1;
}

bool uses_bricks(const search::Configuration& configuration) {
  return configuration.has("cells_z");
}

Layout line_layout(const StencilJob& job, bool padded) {
  return row_layout(job.extents(), padded, 32);
}

const KernelFiles& stencil_files() {
  static const KernelFiles files("stencil", {"common/vectors.cuh", grid_barrier_file},
                                 {"stencil/reference.cu", "stencil/exchange.cu"});
  return files;
}

const char* boundary_macro(const StencilJob& job) {
  return job.boundary == Boundary::fixed ? "Boundary::held" : "Boundary::zero";
}

CompileRequest stencil_request(const StencilJob& job, const Stencil& points, std::string_view file,
                               const search::Configuration& configuration, const KernelSources& sources,
                               std::initializer_list<std::string_view> no_macros) {
  CompileRequest request =
      stencil_files().request(file, sources, {{"stencil_points.cuh", points_header(points)}});
  request.defines = {{"REAL", std::string(to_string(job.type))}, {"BOUNDARY", boundary_macro(job)}};
  add_macros(request, configuration, no_macros);
  return request;
}

std::string target_of(std::int64_t pass, std::int64_t passes) {
  return (passes - 1 - pass) % 2 == 0 ? "out" : "other";
}

void add_arrays(LaunchPlan& plan, const StencilJob& job, const Layout& layout, int scratch) {
  const auto add = [&](std::string name, BufferRole role) {
    plan.buffers.push_back({std::move(name), job.type, layout, role, true});
  };
  add("in", BufferRole::input);
  add("out", BufferRole::output);
  for (int i = 0; i < scratch; ++i) add(scratch_names[static_cast<std::size_t>(i)], BufferRole::scratch);
}

void add_alternating(LaunchPlan& plan, const StencilJob& job, const Layout& layout,
                     std::vector<Launch> sweeps, const std::optional<TensorMapSpec>& map) {
  add_arrays(plan, job, layout, sweeps.size() > 1 ? 1 : 0);
  std::string source = "in";
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const std::string target = target_of(static_cast<std::int64_t>(i), std::ssize(sweeps));
    std::vector<KernelArgument> arguments{source_argument(source, map), BufferArgument{target}};
    auto& rest = sweeps[i].arguments;
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    sweeps[i].arguments = std::move(arguments);
    plan.launches.emplace_back(std::move(sweeps[i]));
    source = target;
  }
}

KernelArgument source_argument(const std::string& source, const std::optional<TensorMapSpec>& map) {
  if (map) return TensorMapArgument{source, *map};
  return BufferArgument{source};
}

std::vector<KernelArgument> extent_arguments(const StencilJob& job, const Layout& layout) {
  return {int32(job.nx), int32(job.ny), int32(job.nz), int64(layout.strides[1]), int64(layout.strides[2])};
}

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
