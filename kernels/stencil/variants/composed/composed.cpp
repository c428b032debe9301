// SPDX-License-Identifier: Apache-2.0
// The variant `composed`: sweeps that apply the stencil convolved with itself, `fused` steps each. Cells near
// a face, which depend on the boundary in one of these steps, are computed step by step (rim.cuh), and so are
// the remaining steps.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/stencil/plan/boundary_shell.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/reference/reference.hpp"
#include "kernels/stencil/variants/direct/direct.hpp"
#include "kernels/stencil/variants/streaming/streaming.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

constexpr int max_steps_composed = 8;

/// Returns the job of one sweep: all steps as one, with a boundary that leaves the cells near the faces
/// alone.
StencilJob composed_job(const StencilJob& job, std::int64_t steps) {
  StencilJob sweep = job;
  sweep.stencil = composed(job.stencil, static_cast<int>(steps));
  sweep.boundary = Boundary::fixed;
  sweep.steps = 1;
  return sweep;
}

/// Returns the largest number of steps of a sweep: the weights of the box that they reach fit constant
/// memory, beside the stencil's own points. Less than 2 if none does.
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

void add_composed(FamilySpace& space, const StencilJob& job) {
  const Expr direct = var("sweep") == "direct", streaming = var("sweep") == "streaming";
  space.add("sweep", "how the composed stencil is applied, as the variants of the same names do it",
            {"direct", "streaming"}, "streaming");
  add_shared(space, job,
             {"fused", "block_x", "block_y", "vector", "cells_y", "padded", "store", "min_blocks"});
  add_shared(space, job, {"block_z", "cells_z", "shuffle", "readonly"}, direct);
  add_shared(space, job, {"chunk", "loader", "stages", "unroll"}, streaming);
  add_shared(space, job, {"unroll_rows"}, job.dimensions == 2 ? std::optional(direct) : std::nullopt);
  if (!composed_applies(job)) return;
  const int max = max_composed(job);
  space.rule(var("fused") >= 2 && var("fused") <= max,
             "a stencil is composed of at least two steps, and of no more than its weights fit constant "
             "memory");
  Expr points(0);
  for (int steps = 2; steps <= max; ++steps)
    points = points +
             (var("fused") == steps) * static_cast<std::int64_t>(composed(job.stencil, steps).points.size());
  const auto sweep = [&](const char* name) {
    return SweptStencil{is_variant("composed") && var("sweep") == name,
                        points,
                        var("reach_x") * var("fused"),
                        var("reach_y") * var("fused"),
                        var("reach_z") * var("fused"),
                        false};
  };
  add_direct_rules(space, sweep("direct"));
  add_streaming_rules(space, sweep("streaming"));
}

Result<LaunchPlan> plan_composed(const StencilJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  const std::int64_t fused = configuration["fused"].as_int();
  const StencilJob sweep_job = composed_job(job, fused);
  const bool bricks = uses_bricks(configuration);
  CompileRequest request =
      stencil_request(sweep_job, sweep_job.stencil, bricks ? "composed_direct.cu" : "composed_streaming.cu",
                      configuration, sources, {"sweep", "fused"});
  if (!bricks) request.defines.emplace_back("QUEUE", "Queue::partial_sums");
  request.headers.push_back({"rim_points.cuh", shell_header(job)});
  request.defines.emplace_back("RIM_BOUNDARY", boundary_macro(job));
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

std::vector<CheckSize> composed_sizes(const StencilJob& job, const Configuration& configuration) {
  return sweep_sizes(job, configuration, configuration["fused"].as_int());
}

/// The more steps a sweep has, the fewer sweeps there are, and the more points each sums.
double least_composed_seconds(const StencilJob& job, const DeviceProperties& device) {
  double least = std::numeric_limits<double>::infinity();
  for (int fused = 2; fused <= max_composed(job); ++fused) {
    const std::int64_t passes = job.steps / fused;  // single steps follow
    const ProblemCost sums = {.flops = 2 * job.cells() * static_cast<double>(passes) *
                                       static_cast<double>(composed(job.stencil, fused).points.size()),
                              .arithmetic = job.type};
    const double rate = peak_flops(sums, device);
    const double computing = rate > 0 ? sums.flops / rate : 0;
    least = std::min(least, std::max(computing, seconds_of_passes(job, device, passes)));
  }
  return std::isfinite(least) ? least : 0;
}

}  // namespace

StencilVariant composed_stencil() {
  return {"composed",       "the stencil convolved with itself, several time steps in one sweep",
          composed_applies, add_composed,
          plan_composed,    composed_sizes,
          nullptr,          least_composed_seconds};
}

}  // namespace tune::kernels
