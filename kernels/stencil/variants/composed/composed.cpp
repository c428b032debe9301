// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/variants/composed/composed.hpp"

#include "kernels/stencil/model/rounding.hpp"
#include "kernels/stencil/plan/boundary_shell.hpp"
#include "kernels/stencil/plan/geometry.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/plan/sweeps.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr int max_steps_composed = 8;

/// The job of one sweep: all steps as one, and a boundary that keeps out of the rim.
StencilJob composed_job(const StencilJob& job, std::int64_t steps) {
  StencilJob sweep = job;
  sweep.stencil = composed(job.stencil, static_cast<int>(steps));
  sweep.boundary = Boundary::fixed;
  sweep.steps = 1;
  return sweep;
}

/// The name of the array that pass `pass` of `passes` writes.
std::string target_of(std::int64_t pass, std::int64_t passes) {
  return (passes - 1 - pass) % 2 == 0 ? "out" : "other";
}

}  // namespace

Result<LaunchPlan> plan_composed(const StencilJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  const std::int64_t fused = configuration["fused"].as_int();
  const StencilJob sweep_job = composed_job(job, fused);
  const SweepFiles files = sweep_files(is_direct(configuration));
  std::vector<std::string_view> headers = files.headers;
  headers.push_back(files.file);
  headers.push_back("stencil/rim.cuh");
  CompileRequest request = stencil_request(
      sweep_job, sweep_job.stencil,
      is_direct(configuration) ? "stencil/composed_direct.cu" : "stencil/composed_streaming.cu", headers,
      configuration, sources, {"sweep", "fused"});
  if (!is_direct(configuration)) request.defines.emplace_back("QUEUE", "Queue::partial_sums");
  request.headers.push_back({"rim_points.cuh", shell_header(job)});
  request.defines.emplace_back("RIM_BOUNDARY",
                               job.boundary == Boundary::fixed ? "Boundary::held" : "Boundary::zero");
  Result<SweepLaunch> sweep = sweep_launch(sweep_job, configuration);
  if (!sweep) return tl::unexpected<Failure>(sweep.error());

  LaunchPlan plan;
  plan.compile = std::move(request);
  add_axis_macros(job, plan.compile);
  plan.compile.entries = {"stencil_step", "stencil_rim"};
  plan.tolerance = composed_tolerance(job, fused, sweep_job.stencil.points.size());
  const std::int64_t full_passes = job.steps / fused, rest = job.steps % fused, passes = full_passes + rest;
  add_arrays(plan, job, sweep->layout, 3);
  std::string source = "in";
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    const std::string target = target_of(pass, passes);
    if (pass < full_passes) {
      Launch launch = sweep->launch;
      launch.arguments.insert(launch.arguments.begin(),
                              {source_argument(source, sweep->map), BufferArgument{target}});
      plan.launches.emplace_back(std::move(launch));
      for (Launch& shell : shell_launches(job, sweep->layout, fused, source, target, {"rim_even", "rim_odd"}))
        plan.launches.emplace_back(std::move(shell));
    } else {
      plan.launches.emplace_back(whole_step(job, sweep->layout, source, target));
    }
    source = target;
  }
  return plan;
}

int max_composed(const StencilJob& job) {
  int max = 1;
  for (int steps = 2; steps <= max_steps_composed && steps <= job.steps; ++steps) {
    const auto [rx, ry, rz] = job.stencil.radii();
    const std::int64_t box = (2 * std::int64_t{rx} * steps + 1) * (2 * std::int64_t{ry} * steps + 1) *
                             (2 * std::int64_t{rz} * steps + 1);
    if (box * job.element_bytes() + shell_constant_bytes(job) > constant_memory) break;
    max = steps;
  }
  return max;
}

bool composed_applies(const StencilJob& job) {
  return max_composed(job) >= 2;
}

}  // namespace tune::kernels
