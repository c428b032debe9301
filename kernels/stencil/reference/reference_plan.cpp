// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/reference/reference_plan.hpp"

#include <limits>
#include <string>

#include "kernels/framework/request.hpp"
#include "kernels/stencil/plan/boundary_shell.hpp"
#include "kernels/stencil/plan/launches.hpp"

namespace tune::kernels {
namespace {

constexpr std::uint32_t threads = 128;  // measured: 1.0 s for 4913 points at 512^3 on an H200, 1.8 s with 256

/// With the points as doubles.
StencilJob in_doubles(StencilJob job) {
  job.type = ElementType::f64;
  return job;
}

CompileRequest request_of(const StencilJob& job, const KernelSources& sources) {
  CompileRequest request =
      stencil_files().request("reference.cu", sources, {{"rim_points.cuh", shell_header(job)}});
  request.defines = {
      {"REAL", "double"}, {"INPUT", std::string(to_string(job.type))}, {"BOUNDARY", boundary_macro(job)}};
  request.entries = {"reference_first"};
  if (job.steps > 1) request.entries.emplace_back("reference_next");
  return request;
}

}  // namespace

bool takes_long(const StencilJob& job) {
  constexpr double many = 4e9;  // multiply-adds: about a second of two cores, a tenth of sixteen
  constexpr int max_offset = 127;
  const double cost =
      job.cells() * static_cast<double>(job.stencil.points.size()) * static_cast<double>(job.steps);
  return cost > many && job.stencil.radius() <= max_offset &&
         shell_constant_bytes(in_doubles(job)) <= constant_memory &&
         job.ny * job.nz <= std::numeric_limits<std::int32_t>::max();
}

Result<LaunchPlan> plan_stencil_reference(const StencilJob& job, const KernelSources& sources) {
  const Layout layout = Layout::dense(job.extents());
  LaunchPlan plan;
  plan.compile = request_of(job, sources);
  plan.buffers = {{"in", job.type, layout, BufferRole::input},
                  {"out", ElementType::f64, layout, BufferRole::output}};
  if (job.steps > 1) plan.buffers.push_back({"other", ElementType::f64, layout, BufferRole::scratch});
  std::string source = "in";
  for (std::int64_t step = 0; step < job.steps; ++step) {
    const std::string target = target_of(step, job.steps);
    plan.launches.emplace_back(make_launch(
        step == 0 ? "reference_first" : "reference_next", job.ny * job.nz, block_of(threads),
        {BufferArgument{source}, BufferArgument{target}, int32(job.nx), int32(job.ny), int32(job.nz)}));
    source = target;
  }
  return plan;
}

}  // namespace tune::kernels
