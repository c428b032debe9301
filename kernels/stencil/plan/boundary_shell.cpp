// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/boundary_shell.hpp"

#include <algorithm>
#include <array>

#include "kernels/framework/request.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr std::int64_t shell_threads = 256;

Launch shell_launch(const StencilJob& job, const Layout& layout, const std::array<std::int64_t, 3>& thick,
                    const std::string& source, const std::string& target) {
  const std::array<std::int64_t, 3> extents{job.nx, job.ny, job.nz};
  std::int64_t core = 1;
  for (int axis = 0; axis < 3; ++axis) core *= std::max<std::int64_t>(0, extents[axis] - 2 * thick[axis]);
  const std::int64_t cells = job.nx * job.ny * job.nz - core;
  Launch launch = make_launch("stencil_rim", std::max<std::int64_t>(1, ceil_div(cells, shell_threads)),
                              block_of(shell_threads), {BufferArgument{source}, BufferArgument{target}});
  for (KernelArgument& argument : extent_arguments(job, layout))
    launch.arguments.push_back(std::move(argument));
  for (const std::int64_t t : thick) launch.arguments.emplace_back(int32(t));
  return launch;
}

}  // namespace

std::string shell_header(const StencilJob& job) {
  const auto [rx, ry, rz] = job.stencil.radii();
  std::string offsets, weights;
  for (const StencilPoint& point : job.stencil.points) {
    offsets += format("    {}, {}, {},\n", point.dx, point.dy, point.dz);
    weights += format("    REAL({:.17g}),\n", point.weight);
  }
  return format(
      "// The stencil's points, one time step.\n#pragma once\n\n"
      "constexpr int rim_reach_x = {}, rim_reach_y = {}, rim_reach_z = {};\nconstexpr int rim_points = {};\n"
      "constexpr __constant__ signed char rim_offsets[3 * rim_points] = {{  // dx, dy, dz\n{}}};\n"
      "constexpr __constant__ REAL rim_weights[rim_points] = {{\n{}}};\n",
      rx, ry, rz, job.stencil.points.size(), offsets, weights);
}

std::int64_t shell_constant_bytes(const StencilJob& job) {
  return static_cast<std::int64_t>(job.stencil.points.size()) * (3 + job.element_bytes());
}

std::vector<Launch> shell_launches(const StencilJob& job, const Layout& layout, std::int64_t steps,
                                   const std::string& source, const std::string& target,
                                   const std::vector<std::string>& scratch) {
  std::vector<Launch> launches;
  const auto radii = job.stencil.radii();
  std::string from = source;
  for (std::int64_t step = 1; step <= steps; ++step) {
    std::array<std::int64_t, 3> thick{};
    // The cells that the last step depends on: one reach more for every step before it.
    for (std::size_t axis = 0; axis < 3; ++axis) thick[axis] = (2 * steps - step) * radii[axis];
    const std::string to = step == steps ? target : scratch[static_cast<std::size_t>(step % 2)];
    launches.push_back(shell_launch(job, layout, thick, from, to));
    from = to;
  }
  return launches;
}

Launch whole_step(const StencilJob& job, const Layout& layout, const std::string& source,
                  const std::string& target) {
  return shell_launch(job, layout, {job.nx, job.ny, job.nz}, source, target);
}

}  // namespace tune::kernels
