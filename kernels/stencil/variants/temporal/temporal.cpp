// SPDX-License-Identifier: Apache-2.0
// The variant `temporal`: launches that fuse `fused` time steps each, and one for the remaining steps.
#include <algorithm>
#include <limits>

#include "kernels/framework/request.hpp"
#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/plan/variant.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::Role;
using search::Value;
using search::var;

/// Limit on the multiply-adds of a launch that the compiler unrolls: once for tiles without and once for
/// tiles with cells that keep their values. 6000 take about two seconds on a 3 GHz core.
constexpr int max_fused_terms = 6000;
/// The sums of more steps exceed the registers.
constexpr std::int64_t max_fused = 16;

/// Returns the bytes of the rows that warps exchange: every level has rows for even and for odd planes.
Expr exchanged_bytes(int reach_y) {
  return var("fused") * 2 * var("threads") * (2 * reach_y) * var("cells_x") * var("words") * 4;
}

/// Returns the tiles along one axis, as the kernel's Cut counts them.
std::int64_t tiles(std::int64_t extent, std::int64_t tile, std::int64_t halo, std::int64_t margin) {
  const std::int64_t covered = extent + 2 * margin, stride = tile - 2 * halo;
  return covered <= tile ? 1 : ceil_div(covered - 2 * halo, stride);
}

struct TemporalShape {
  std::int64_t cells_x, cells_y, vector, warps, chunk;

  explicit TemporalShape(const Configuration& configuration)
      : cells_x(configuration["cells_x"].as_int()),
        cells_y(value_or_one(configuration, "cells_y")),
        vector(configuration["vector"].as_int()),
        warps(configuration["threads"].as_int() / 32),
        chunk(configuration["chunk"].as_int()) {}
};

Result<Dim3> grid_of(const StencilJob& job, const TemporalShape& shape, std::int64_t steps) {
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  const auto [rx, ry, rz] = job.stencil.radii();
  const bool zero = job.boundary == Boundary::zero;
  if (std::max({job.nx, job.ny, job.nz}) > limit - 65536)
    return fail(Phase::constraint, "extent", "an extent is beyond the kernel's 31-bit indices");
  const std::int64_t chunks = ceil_div(job.nz, shape.chunk);
  const std::int64_t along_x = tiles(job.nx, 32 * shape.cells_x, round_up(steps * rx, shape.vector),
                                     zero ? round_up(rx, shape.vector) : 0);
  const std::int64_t along_y =
      ry == 0 ? 1 : tiles(job.ny, shape.warps * shape.cells_y, steps * ry, zero ? ry : 0);
  if (along_x > limit / along_y || along_x * along_y > limit / chunks)
    return fail(Phase::constraint, "grid", "more than 2^31 - 1 blocks: choose larger tiles");
  const std::int64_t all = along_x * along_y * chunks;
  const std::int64_t blocks = ry == 0 ? ceil_div(all, shape.warps) : all;
  return Dim3{static_cast<std::uint32_t>(blocks), 1, 1};
}

/// Returns the largest of the values that is at most `wanted`, else the smallest.
std::int64_t at_most(std::initializer_list<std::int64_t> values, std::int64_t wanted) {
  std::int64_t chosen = *values.begin();
  for (const std::int64_t value : values)
    if (value <= wanted) chosen = value;
  return chosen;
}

/// Prefers tiles whose sums of all fused steps stay in the registers of a thread: with more, everything is
/// spilled. In three dimensions, about 72 words leave room for addresses and the planes that are loaded ahead
/// where 384 threads share the registers; in two, blocks are small, and a thread may have twice as many.
void prefer_few_registers(FamilySpace& space, const StencilJob& job) {
  if (!temporal_applies(job)) return;
  const bool flat = job.dimensions == 2;
  const std::int64_t words_of_sums = flat ? 144 : 72;
  const std::int64_t words = static_cast<std::int64_t>(job.element_bytes()) / 4;
  const std::int64_t cells_x = flat ? 4 : 2, cells_y = flat ? 1 : words == 1 ? 4 : 3;
  const std::int64_t planes =
      2 * std::max<std::int64_t>(job.stencil.radii()[2], 1) + (job.stencil.star() ? 0 : 1);
  const std::int64_t fused = words_of_sums / (planes * cells_x * cells_y * words);
  space.prefer("fused", at_most({2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16}, std::min(fused, job.steps)));
  space.prefer("cells_x", cells_x);
  space.prefer("vector", 2);
  if (flat) {
    space.prefer("threads", 64);
    space.prefer("chunk", 256);
  } else {
    const std::int64_t reach_y = job.stencil.radii()[1];  // a warp needs rows of its direct neighbours only
    space.prefer("cells_y", reach_y <= cells_y ? cells_y : reach_y <= 6 ? reach_y : 8);
    space.prefer("threads", 384);
  }
}

void add_temporal(FamilySpace& space, const StencilJob& job) {
  const bool flat = job.dimensions == 2;
  add_shared(space, job, {"fused", "vector", "cells_y", "chunk", "unroll", "padded", "store", "min_blocks"});
  space.add("cells_x", "neighbouring cells along x of a lane",
            flat ? std::vector<Value>{1, 2, 4, 8, 16} : std::vector<Value>{1, 2, 4}, 4, {}, Role::work);
  space.add("threads",
            flat ? "threads of a block, every warp with a tile of its own"
                 : "threads of a block, its warps behind each other along y",
            flat ? std::vector<Value>{32, 64, 128, 256, 512}
                 : std::vector<Value>{32, 64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 1024},
            flat ? 128 : 256, {}, Role::threads);
  space.add("ahead", "planes that are loaded before they are needed", {1, 2}, 1);
  prefer_few_registers(space, job);
  const Rules rules = space.rules();
  const Expr cells = var("cells_x") * var("cells_y");
  rules.add(var("fused") >= 2, "single steps are for direct and streaming");
  rules.add(var("fused") <= max_fused, "the sums of more than 16 steps exceed the registers");
  rules.add(cells <= 32, "more than 32 cells a lane: their sums exceed the registers");
  rules.add(var("unroll") <= 2, "after two planes all sums are where they were");
  rules.add(var("cells_x") % var("vector") == 0, "an access must not reach into the cells of the next lane");
  rules.add_max_threads(var("threads"));
  rules.add_resident_threads(var("threads"));
  rules.add(var("fused") * var("points") * cells * var("unroll") <= max_fused_terms, too_many_terms);

  // Sums of every level, the current plane and those that are loaded ahead, and, if levels wait for rows of
  // other warps, the planes that wait.
  const auto [rx, ry, rz] = job.stencil.radii();
  const Expr waiting = ry > 0 && !job.stencil.star() ? var("fused") : Expr(0);
  const Expr kept =
      (var("fused") * (2 * std::max(rz, 1)) + waiting + var("ahead") + 1) * cells * var("words");
  rules.add_registers(kept + 16, var("threads"),
                      "the sums of all steps need more registers than a thread may have");

  // Most of a tile must remain valid.
  const Expr spoilt_x = var("fused") * (2 * rx);
  rules.add(spoilt_x * 3 <= var("cells_x") * 64,
            "more than two thirds of a tile's columns are spoilt by the steps");
  if (ry > 0) {
    rules.add(var("cells_y") >= ry, "a warp needs rows of its direct neighbours only");
    rules.add(var("fused") * (6 * ry) <= floor_div(var("threads"), 16) * var("cells_y"),
              "more than two thirds of a tile's rows are spoilt by the steps");
    rules.add_shared_memory(exchanged_bytes(ry), "the rows",
                            "the rows that warps exchange do not fit the shared memory of a block");
  }
}

Result<LaunchPlan> plan_temporal(const StencilJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  const TemporalShape shape(configuration);
  const std::int64_t fused = configuration["fused"].as_int(), rest = job.steps % fused;
  const Layout layout = line_layout(job, configuration["padded"].as_bool());
  if (layout.strides[1] > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    return fail(Phase::constraint, "extent", "a row does not fit the kernel's 32-bit pitch");

  LaunchPlan plan;
  plan.compile =
      stencil_request(job, job.stencil, "temporal.cu", configuration, sources, {"fused", "padded"});
  plan.compile.defines.emplace_back("STEPS", std::to_string(fused));
  plan.compile.defines.emplace_back("REST", std::to_string(rest));
  if (job.dimensions == 2) plan.compile.defines.emplace_back("CELLS_Y", "1");
  plan.compile.entries = {"stencil_steps"};
  if (rest > 0) plan.compile.entries.emplace_back("stencil_rest");

  std::vector<Launch> launches;
  for (std::int64_t done = 0; done < job.steps; done += fused) {
    const std::int64_t steps = std::min(fused, job.steps - done);
    const Result<Dim3> grid = grid_of(job, shape, steps);
    if (!grid) return tl::unexpected<Failure>(grid.error());
    Configuration part = configuration;
    part.set("fused", steps);
    launches.push_back(make_launch(steps == fused ? "stencil_steps" : "stencil_rest", grid->x,
                                   block_of(32, shape.warps), extent_arguments(job, layout),
                                   stencil_value(exchanged_bytes(job.stencil.radii()[1]), job, part)));
  }
  add_alternating(plan, job, layout, std::move(launches));
  return plan;
}

std::vector<CheckSize> temporal_sizes(const StencilJob& job, const Configuration& configuration) {
  const auto radii = job.stencil.radii();
  const std::int64_t fused = configuration["fused"].as_int();
  // Tiles whose edges all lie within the array, and planes without a boundary.
  const TemporalShape shape(configuration);
  return sweep_sizes(job, configuration, fused,
                     CheckSize{32 * shape.cells_x * 2 + 11, 2 * shape.warps * shape.cells_y + 7,
                               2 * fused * (radii[2] + 1) + 2 * radii[2] + 9});
}

double least_temporal_seconds(const StencilJob& job, const DeviceProperties& device) {
  return seconds_of_passes(job, device, ceil_div(job.steps, max_fused));
}

}  // namespace

StencilVariant temporal_stencil() {
  return {"temporal",       "a block marches through planes of z and computes several time steps on the way",
          temporal_applies, add_temporal,
          plan_temporal,    temporal_sizes,
          nullptr,          least_temporal_seconds};
}

}  // namespace tune::kernels
