// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/variants/blocked.hpp"

#include <algorithm>

#include "kernels/framework/request.hpp"
#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {

using search::Expr;
using search::Role;
using search::Value;
using search::var;

namespace {

constexpr std::int64_t sum_threads = 256;  ///< of the kernels that a split needs besides
constexpr const char* parts = "parts";

/// Returns the launch of a kernel that adds or scales, a few turns a thread. Arguments: `buffers`, m, n,
/// pitch, `factors`.
Launch sum_launch(const GemmJob& job, const Configuration& configuration, const char* entry,
                  std::vector<KernelArgument> buffers, std::initializer_list<double> factors) {
  const Layout layout = matrix_layout(job.m, job.n, job.type, is_padded(configuration));
  constexpr std::int64_t max = 1 << 16;
  const std::int64_t vectors = ceil_div(job.n, configuration["vector"].as_int());
  const std::int64_t blocks = ceil_div(std::min(vectors, max) * std::min(job.m, max), sum_threads);
  Launch launch = make_launch(entry, std::min(blocks, max), block_of(sum_threads), std::move(buffers));
  for (const std::int64_t extent : {job.m, job.n}) launch.arguments.emplace_back(int32(extent));
  launch.arguments.emplace_back(int64(layout.strides[1]));
  for (const double factor : factors) launch.arguments.emplace_back(real_argument(job.type, factor));
  return launch;
}

/// Returns room for `split` results, one after another.
BufferSpec parts_buffer(const GemmJob& job, const Configuration& configuration) {
  const auto split = static_cast<std::uint64_t>(value_or(configuration, "split", 1));
  Layout layout = matrix_layout(job.m, job.n, job.type, is_padded(configuration));
  layout.extents.push_back(split);
  layout.strides.push_back(layout.allocation);
  layout.allocation *= split;
  return {parts, job.type, layout, BufferRole::scratch, true};
}

}  // namespace

GemmTile tile_of_blocked(const GemmJob&, const Configuration& configuration) {
  return {configuration["block_m"].as_int(), configuration["block_n"].as_int(),
          configuration["slab"].as_int() * value_or(configuration, "split", 1)};
}

Expr thread_elements() {
  return var("thread_m") * var("thread_n");
}

Expr blocked_shared(const Expr& stage_bytes) {
  const Expr added = var("block_m") * var("block_n") * floor_div(var("slices"), 2) * var("words") * 4;
  return stage_bytes * (var("stages") - 1) + max(stage_bytes, added);
}

Expr blocked_threads() {
  return floor_div(var("block_m") * var("block_n"), thread_elements()) * var("slices");
}

void add_blocked(FamilySpace& space, const GemmJob& job) {
  const bool doubles = job.type == ElementType::f64;
  const std::vector<Value> thread = doubles ? std::vector<Value>{2, 4, 8} : std::vector<Value>{4, 8, 16};
  const int tile = doubles ? 64 : 128;
  space.add("block_m", "rows of the result that a block computes", {32, 64, 128, 256}, tile);
  space.add("block_n", "columns of the result that a block computes", {32, 64, 128, 256}, tile);
  space.add("slab", "terms of the sums between two barriers", {8, 16, 32}, 8);
  space.add("thread_m", "rows of the result that a thread computes", thread, 8, {}, Role::work);
  space.add("thread_n", "columns of the result that a thread computes", thread, doubles ? 4 : 8, {},
            Role::work);
  space.add("slices", "groups of threads that share a slab, each with its terms of all of the block's sums",
            {1, 2, 4}, 1, {}, Role::threads);
  space.add("lanes_m", "lanes of a warp along the rows; the others lie along the columns", {4, 8}, 4);
  space.add("lane_pairs",
            "whether lanes follow each other in pairs of two rows, or row after row: what a part of a warp "
            "reads of shared memory at once",
            {false, true}, true);
  space.add("vector", "neighbouring elements of an access to global memory",
            doubles ? std::vector<Value>{1, 2} : std::vector<Value>{1, 2, 4}, doubles ? 2 : 4);
  add_group(space, job, 32, up_to({1, 4, 8}, ceil_div(job.m, tile) * 2 - 1).back());
  space.add("split", "parts of a sum, each computed by another block",
            up_to({1, 2, 3, 4, 6, 8, 12, 16}, job.k / 32), 1);
  if (job.k >= 64)
    space.add(
        "atomic",
        "whether the parts are added to the result by atomic operations, in any order; else by a second "
        "kernel, in one order",
        {false, true}, false, var("split") > 1);
  add_padded(space);
  space.add(min_blocks({1, 2, 3, 4}));

  space.rule(var("block_m") % (var("thread_m") * var("lanes_m")) == 0,
             "a warp computes more rows than the block has, or does not divide them");
  space.rule(var("block_n") % (var("thread_n") * floor_div(32, var("lanes_m"))) == 0,
             "a warp computes more columns than the block has, or does not divide them");
  space.rule(blocked_threads() <= 512, "larger blocks wait too often at barriers");
  space.rule(thread_elements() * var("words") <= 128,
             "the sums of a thread leave no registers for anything else");
  space.rule(var("slab") % (var("slices") * var("alignment")) == 0 && var("slab") >= var("slices") * 2,
             "slices of a slab are not whole multiples of 16 bytes");
  const Expr tiles = ceil_div(var("m"), var("block_m")) * ceil_div(var("n"), var("block_n"));
  add_group_rule(space);
  space.rule(var("split") == 1 || tiles * (var("split") - 1) < var("multiprocessors") * 4,
             "fewer parts give every SM several tiles");
  space.rule(var("split") == 1 || var("split") * var("slab") * 4 <= var("k"),
             "the parts of a sum have fewer than four slabs");
  constexpr std::int64_t max = std::int64_t{1} << 31;
  space.rule((var("k") + 32) * var("block_m") < max && (var("n") + 32) * var("slab") < max,
             "distances between the elements of a slab do not fit 32 bits");
}

LaunchPlan plan_blocked(const GemmJob& job, const Configuration& configuration, const KernelSources& sources,
                        std::string_view file, const Expr& stage_bytes, int stages) {
  const std::int64_t split = value_or(configuration, "split", 1);
  const bool atomic = value_or(configuration, "atomic", 0) != 0;
  const auto value = [&](const Expr& expression) {
    return gemm_value(expression, job, configuration,
                      {{"stages", stages}, {"slices", 1}, {"transposed", true}});
  };
  LaunchPlan plan = gemm_plan(job, file, configuration, sources);
  plan.compile.entries = {"gemm"};
  Launch launch = gemm_launch(job, configuration, "gemm", tile_of_blocked(job, configuration),
                              block_of(value(blocked_threads())), value(blocked_shared(stage_bytes)));
  launch.grid.y = static_cast<std::uint32_t>(split);
  if (split > 1 && !atomic) {
    plan.buffers.push_back(parts_buffer(job, configuration));
    launch.arguments[2] = BufferArgument{parts};
  }
  // Atomic additions need an initial result.
  if (atomic)
    plan.launches.emplace_back(
        sum_launch(job, configuration, "gemm_scale", {BufferArgument{"c"}}, {job.beta}));
  plan.launches.emplace_back(std::move(launch));
  if (split > 1 && !atomic)
    plan.launches.emplace_back(sum_launch(job, configuration, "gemm_add_parts",
                                          {BufferArgument{parts}, BufferArgument{"c"}},
                                          {job.alpha, job.beta}));
  if (split > 1) plan.compile.entries.emplace_back(atomic ? "gemm_scale" : "gemm_add_parts");
  return plan;
}

}  // namespace tune::kernels
