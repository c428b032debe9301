// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/plan/variant.hpp"

#include <algorithm>

#include "kernels/framework/bounds.hpp"
#include "kernels/framework/request.hpp"
#include "kernels/stencil/plan/geometry.hpp"

namespace tune::kernels {

using search::Expr;
using search::Parameter;
using search::Role;
using search::Value;
using search::var;

namespace {

// Cells of a thread in the default configuration.
int default_vector(const StencilJob& job) {
  return job.type == ElementType::f64 ? 2 : 4;
}
int default_cells_y(const StencilJob& job) {
  return job.stencil.star() || job.dimensions == 2 ? 1 : 2;
}
int default_cells_z(const StencilJob& job) {
  const auto terms = static_cast<int>(job.stencil.points.size()) * default_vector(job) * default_cells_y(job);
  int cells = 4;
  // The terms of a star are always unrolled.
  while (job.stencil.star() && cells > 1 && terms * cells > max_unrolled_terms) cells /= 2;
  return cells;
}

/// Returns values of `chunk` with which the number of blocks fits the SMs.
std::vector<Value> chunks(const StencilJob& job) {
  if (job.dimensions == 2) return {32, 64, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096, 8192};
  std::vector<Value> values = {16, 24, 32, 48, 64, 80, 96, 128, 160, 192, 256, 512};
  // Blocks of `temporal` are few and long: finer steps let the last ones end together.
  if (temporal_applies(job))
    values = {16, 24, 32, 48, 64, 80, 88, 96, 112, 128, 144, 156, 160, 176, 192, 256, 512};
  // Ghost planes make slabs a little thicker than round numbers.
  if (job.gpus > 1)
    values = {16,  24,  32,  48,  64,  80,  88,  96,  112, 128, 132, 144,
              148, 152, 156, 160, 164, 168, 176, 192, 256, 264, 512};
  return values;
}

/// Returns the steps that a pass may fuse, at most those of the job. The large numbers are for `fft`.
std::vector<Value> fused_steps(const StencilJob& job) {
  std::vector<Value> values;
  for (const int steps : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 24, 32, 48, 64, 96, 128})
    if (steps <= job.steps) values.emplace_back(steps);
  return values;
}

/// Returns all parameters that several variants have. Arrays of two dimensions have one row and several
/// planes in the axes of the kernels.
std::vector<Parameter> shared_parameters(const StencilJob& job) {
  const bool flat = job.dimensions == 2;
  std::vector<Parameter> all;
  const auto add = [&](std::string name, std::string documentation, std::vector<Value> values,
                       Value default_value, std::optional<Expr> exists_if = {}, Role role = Role::other) {
    all.push_back({std::move(name), std::move(documentation), std::move(values), std::move(default_value),
                   std::move(exists_if), role});
  };
  add("block_x", "threads of a block along x", {8, 16, 32, 64, 128}, 32, {}, Role::threads);
  if (flat) {
    all.back().values = {32, 64, 128, 256, 512};
    all.back().default_value = 128;
  } else {
    add("block_y", "threads of a block along y", {1, 2, 4, 8, 16}, 8, {}, Role::threads);
  }
  add("block_z", flat ? "threads of a block along y" : "threads of a block along z", {1, 2, 4}, 1, {},
      Role::threads);
  if (flat) all.back().values.insert(all.back().values.end(), {8, 16});
  add("vector",
      "neighbouring cells along x of one access to memory; direct, streaming: and those that a thread "
      "computes",
      {1, 2, 4}, default_vector(job), {}, Role::work);
  if (!flat)
    add("cells_y", "neighbouring rows that a thread computes", {1, 2, 3, 4, 5, 6, 8}, default_cells_y(job),
        {}, Role::work);
  add("cells_z",
      flat ? "neighbouring rows that a thread computes" : "neighbouring planes that a thread computes",
      {1, 2, 4, 8}, default_cells_z(job), {}, Role::work);
  const std::vector<Value> steps = fused_steps(job), chunk = chunks(job);
  const int default_cells = default_vector(job) * default_cells_y(job) * default_cells_z(job);
  add("fused", "time steps of a launch, or between two transforms", steps,
      steps[std::min<std::size_t>(steps.size() - 1, 1)]);
  add("shuffle", "whether x neighbours come from the neighbouring lanes of the warp instead of the cache",
      {false, true}, false, var("reach_x") >= 1 && var("reach_x") <= 4);
  add("readonly", "whether loads take the non-coherent path (ld.global.nc)", {false, true}, true);
  add("chunk",
      "planes of z (rows of y in two dimensions) that a block computes, or a thread of fft convolves", chunk,
      chunk[4]);
  add("loader",
      "how x and y neighbours come to a thread: through registers to shared memory (plain), by cp.async "
      "(async), as loads that hit L1, without barriers (cache), or as whole planes by the copy engine (tma)",
      {"plain", "async", "cache", "tma"}, "async");
  add("stages", "planes in shared memory", {1, 2, 3, 4, 5}, 3, var("loader") != "cache");
  add("unroll",
      "planes in a turn of the loop over z; streaming: odd, the queue is moved once a turn, never at 2 reach + "
      "1; temporal: 1 or 2, sums are not moved at 2",
      {1, 2, 3, 5, 9, 17}, 1);
  add("unroll_rows",
      "whether the loops over rows are unrolled, with the weights as immediates instead of reads of "
      "constant memory",
      {false, true}, static_cast<int>(job.stencil.points.size()) * default_cells <= max_unrolled_terms,
      !var("star"));
  add("padded",
      "whether rows are padded (direct, streaming: and the array is surrounded by ghost cells, so that "
      "loads need no guards)",
      {false, true}, true);
  add("store", "path of the stores: ordinary, or evict first (st.global.cs)", {"plain", "streaming"},
      "streaming");
  all.push_back(min_blocks({1, 2, 3, 4, 8}));
  return all;
}

}  // namespace

Constants stencil_constants(const StencilJob& job) {
  const auto [rx, ry, rz] = job.stencil.radii();
  Constants constants = {
      {"nx", job.nx},
      {"ny", job.ny},
      {"nz", job.nz},
      {"star", job.stencil.star()},
      {"steps", job.steps},
      {"reach_x", rx},
      {"reach_y", ry},
      {"reach_z", rz},
      {"points", static_cast<std::int64_t>(job.stencil.points.size())},
      {"words", job.element_bytes() / 4},
  };
  if (job.dimensions == 2) constants.merge(Constants{{"block_y", 1}, {"cells_y", 1}});
  return constants;
}

std::int64_t stencil_value(const Expr& expression, const StencilJob& job,
                           const search::Configuration& configuration) {
  return evaluated(expression, configuration, stencil_constants(job));
}

void add_shared(FamilySpace& space, const StencilJob& job, std::initializer_list<std::string_view> names,
                const std::optional<Expr>& when) {
  for (Parameter& parameter : shared_parameters(job)) {
    if (std::ranges::find(names, parameter.name) == names.end()) continue;
    if (when) parameter.exists_if = parameter.exists_if ? *when && *parameter.exists_if : *when;
    space.add(std::move(parameter));
  }
}

void add_block_limits(const Rules& rules, const Expr& block_threads) {
  rules.add_max_threads(block_threads);
  rules.add_min_threads(block_threads);
  rules.add_resident_threads(block_threads);
}

void add_brick_limits(const Rules& rules, const Expr& cells) {
  rules.add(var("block_x") * var("vector") >= 32,
            "tiles narrower than 32 cells waste most of the lines that they touch");
  rules.add(cells <= 32, "more than 32 cells a thread: their sums and loads exceed the registers");
}

void add_row_rule(const Rules& rules) {
  rules.add(var("cells_y") != 3 && var("cells_y") != 5 && var("cells_y") != 6,
            "a sweep's tiles have a power of two of rows");
}

SweptStencil swept_by(std::string_view variant, const StencilJob& job) {
  return {is_variant(variant), var("points"),  var("reach_x"),
          var("reach_y"),      var("reach_z"), job.stencil.star()};
}

double seconds_of_passes(const StencilJob& job, const DeviceProperties& device, std::int64_t passes) {
  return seconds_of_passes(job.cells() * job.element_bytes(), device, passes);
}

double seconds_of_single_steps(const StencilJob& job, const DeviceProperties& device) {
  return seconds_of_passes(job, device, job.steps);
}

bool sweeps_apply(const StencilJob& job) {
  return constant_bytes(job) <= constant_memory;
}

bool temporal_applies(const StencilJob& job) {
  constexpr std::size_t max_points = 800;
  // Without reach along y the kernel treats the array as a single row. Cells keep their value by the weight
  // of the cell itself, which must be a point of the stencil.
  const bool rows = job.dimensions == 2 || job.stencil.radii()[1] > 0;
  const bool itself = std::ranges::any_of(job.stencil.points, [](const StencilPoint& point) {
    return point.dx == 0 && point.dy == 0 && point.dz == 0 && point.weight != 0;
  });
  // One step takes seconds to compile, and is slower than the sweeps.
  return job.steps >= 2 && rows && itself && job.stencil.radius() <= 8 &&
         job.stencil.points.size() <= max_points;
}

bool costly(const StencilJob& job) {
  return job.stencil.points.size() > 200;
}

std::int64_t checked_steps(std::int64_t steps, std::int64_t fused) {
  const std::int64_t rest = steps % fused;
  return std::min(steps, rest > 0 ? fused + rest : 2 * fused);
}

std::vector<CheckSize> in_vectors(std::vector<CheckSize> sizes, const StencilJob& job,
                                  const search::Configuration& configuration) {
  std::int64_t vector = configuration["padded"].as_bool() ? 1 : configuration["vector"].as_int();
  if (takes_boxes(configuration) && !configuration["padded"].as_bool())
    vector = std::max<std::int64_t>(vector, 16 / job.element_bytes());
  for (CheckSize& size : sizes) size.nx = round_up(size.nx, vector);
  return sizes;
}

std::vector<CheckSize> sweep_sizes(const StencilJob& job, const search::Configuration& configuration,
                                   std::int64_t fused, std::optional<CheckSize> first) {
  const auto [rx, ry, rz] = job.stencil.radii();
  if (!first) first = costly(job) ? CheckSize{2 * rx + 21, 2 * ry + 7, 2 * rz + 9} : CheckSize{139, 45, 39};
  // The last size has boundary cells only, if they are held.
  std::vector<CheckSize> sizes = {*first, {2 * rx + 1, 2 * ry + 3, 2 * rz + 2}, {5, 3, 2}};
  for (CheckSize& size : sizes) size.steps = checked_steps(job.steps, fused);
  return in_vectors(std::move(sizes), job, configuration);
}

std::vector<CheckSize> step_sizes(const StencilJob& job, const search::Configuration& configuration) {
  return sweep_sizes(job, configuration, 1);
}

}  // namespace tune::kernels
