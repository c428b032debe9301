// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/launches.hpp"

#include <algorithm>

#include "kernels/framework/request.hpp"

namespace tune::kernels {
std::int64_t value_or_one(const search::Configuration& configuration, std::string_view name) {
  return configuration.has(name) ? configuration[name].as_int() : 1;
}

bool is_direct(const search::Configuration& configuration) {
  const search::Value* sweep = configuration.find("sweep");
  const std::string& name = (sweep != nullptr ? *sweep : configuration["variant"]).as_text();
  return name == "direct" || name == "persistent" || name == "split";
}

Layout row_layout(const StencilJob& job, bool padded) {
  if (!padded) return Layout::dense(job.extents());
  constexpr std::int64_t line = 32;  // cells
  const auto pitch = static_cast<std::uint64_t>((job.nx + line - 1) / line * line);
  const std::uint64_t plane = pitch * static_cast<std::uint64_t>(job.ny);
  Layout layout;
  layout.extents = job.extents();
  layout.strides = {1, pitch, plane};
  layout.allocation = plane * static_cast<std::uint64_t>(job.nz);
  return layout;
}

SweepFiles sweep_files(bool direct) {
  if (direct)
    return {"stencil/direct.cu",
            {"stencil/boundary.cuh", "stencil/direct_sums.cuh", "stencil/direct_tile.cuh",
             "stencil/indices.cuh", "common/vectors.cuh"}};
  return {"stencil/streaming.cu",
          {"common/async_copy.cuh", "common/tensor_copy.cuh", "stencil/boundary.cuh", "stencil/indices.cuh",
           "stencil/pin.cuh", "stencil/streaming_boxes.cuh", "stencil/streaming_inputs.cuh",
           "stencil/streaming_partial_sums.cuh", "stencil/streaming_planes.cuh", "stencil/streaming_sums.cuh",
           "stencil/streaming_tile.cuh", "common/vectors.cuh"}};
}

CompileRequest stencil_request(const StencilJob& job, const Stencil& points, std::string_view file,
                               const std::vector<std::string_view>& headers,
                               const search::Configuration& configuration, const KernelSources& sources,
                               const std::vector<std::string_view>& no_macros) {
  CompileRequest request;
  request.source = {std::string(file), sources.text(file)};
  request.headers = {{"stencil_points.cuh", points_header(points)}};
  for (const std::string_view file_included : headers)
    request.headers.push_back(header(sources, file_included));
  request.defines = {{"REAL", std::string(to_string(job.type))},
                     {"BOUNDARY", job.boundary == Boundary::fixed ? "Boundary::held" : "Boundary::zero"}};
  for (const auto& [parameter, value] : configuration.entries())
    if (parameter != "variant" && std::ranges::find(no_macros, parameter) == no_macros.end())
      request.defines.push_back(macro(parameter, value));
  return request;
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
    const std::string target = (sweeps.size() - 1 - i) % 2 == 0 ? "out" : "other";
    std::vector<KernelArgument> arguments{source_argument(source, map), BufferArgument{target}};
    auto& rest = sweeps[i].arguments;
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    sweeps[i].arguments = std::move(arguments);
    plan.launches.push_back(std::move(sweeps[i]));
    source = target;
  }
}

KernelArgument source_argument(const std::string& source, const std::optional<TensorMapSpec>& map) {
  if (map) return TensorMapArgument{source, *map};
  return BufferArgument{source};
}

std::vector<KernelArgument> extent_arguments(const StencilJob& job, const Layout& layout) {
  std::vector<KernelArgument> arguments;
  for (const std::int64_t extent : {job.nx, job.ny, job.nz})
    arguments.push_back(ScalarArgument{static_cast<std::int32_t>(extent)});
  for (const std::size_t axis : {1, 2})
    arguments.push_back(ScalarArgument{static_cast<std::int64_t>(layout.strides[axis])});
  return arguments;
}

}  // namespace tune::kernels
