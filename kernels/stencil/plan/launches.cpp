// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/launches.hpp"

#include <iterator>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/framework/request.hpp"

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
                                 {"stencil/reference.cu"});
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

}  // namespace tune::kernels
