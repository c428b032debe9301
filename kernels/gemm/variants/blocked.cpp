// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/variants/blocked.hpp"

#include <algorithm>

namespace tune::kernels {

using search::Expr;
using search::Role;
using search::Value;
using search::var;

namespace {

constexpr std::int64_t sum_threads = 256;  ///< of the kernels that a split needs besides
constexpr const char* parts = "parts";

/// Blocks of the kernels that add up or scale: a few turns a thread.
Dim3 sum_grid(const GemmJob& job, const Configuration& configuration) {
  const std::int64_t vectors = tiles_of(job.n, configuration["vector"].as_int());
  constexpr std::int64_t max = 1 << 16;
  const std::int64_t blocks = tiles_of(std::min(vectors, max) * std::min(job.m, max), sum_threads);
  return {static_cast<std::uint32_t>(std::min(blocks, max))};
}

Launch sum_launch(const GemmJob& job, const Configuration& configuration, const char* entry) {
  const Layout layout = matrix_layout(job.m, job.n, job.type, is_padded(configuration));
  Launch launch;
  launch.entry = entry;
  launch.grid = sum_grid(job, configuration);
  launch.block = {static_cast<std::uint32_t>(sum_threads)};
  for (const std::int64_t extent : {job.m, job.n})
    launch.arguments.emplace_back(ScalarArgument{static_cast<std::int32_t>(extent)});
  launch.arguments.emplace_back(ScalarArgument{static_cast<std::int64_t>(layout.strides[1])});
  return launch;
}

/// The kernel that adds the parts up.
Launch add_parts(const GemmJob& job, const Configuration& configuration) {
  Launch launch = sum_launch(job, configuration, "gemm_add_parts");
  launch.arguments.insert(launch.arguments.begin(), {BufferArgument{parts}, BufferArgument{"c"}});
  launch.arguments.emplace_back(real_argument(job, job.alpha));
  launch.arguments.emplace_back(real_argument(job, job.beta));
  return launch;
}

/// The kernel that makes the result ready for atomic additions.
Launch scale(const GemmJob& job, const Configuration& configuration) {
  Launch launch = sum_launch(job, configuration, "gemm_scale");
  launch.arguments.insert(launch.arguments.begin(), BufferArgument{"c"});
  launch.arguments.emplace_back(real_argument(job, job.beta));
  return launch;
}

/// `split` results, one after another.
BufferSpec parts_buffer(const GemmJob& job, const Configuration& configuration) {
  const auto split = static_cast<std::uint64_t>(value_or(configuration, "split", 1));
  Layout layout = matrix_layout(job.m, job.n, job.type, is_padded(configuration));
  layout.extents.push_back(split);
  layout.strides.push_back(layout.allocation);
  layout.allocation *= split;
  return {parts, job.type, layout, BufferRole::scratch, true};
}

/// Those of the numbers that are at most so large; the first one always is.
std::vector<Value> up_to(std::initializer_list<int> numbers, std::int64_t max) {
  std::vector<Value> values;
  for (const int number : numbers)
    if (number <= max || values.empty()) values.emplace_back(number);
  return values;
}

}  // namespace

bool blocked_applies(const GemmJob&) {
  return true;
}

GemmTile tile_of_blocked(const Configuration& configuration) {
  return {configuration["block_m"].as_int(), configuration["block_n"].as_int(),
          configuration["slab"].as_int() * value_or(configuration, "split", 1)};
}

std::int64_t blocked_threads(const Configuration& configuration) {
  return configuration["block_m"].as_int() * configuration["block_n"].as_int() /
         (configuration["thread_m"].as_int() * configuration["thread_n"].as_int()) *
         value_or(configuration, "slices", 1);
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

void add_blocked_rules(GemmSpace& space, const GemmJob& job, const std::vector<Value>& slabs) {
  const bool doubles = job.type == ElementType::f64;
  const std::vector<Value> thread = doubles ? std::vector<Value>{2, 4, 8} : std::vector<Value>{4, 8, 16};
  const int tile = doubles ? 64 : 128;
  const std::vector<Value> groups = up_to({1, 4, 8}, tiles_of(job.m, tile) * 2 - 1);
  space.add({"block_m", "rows of the result that a block computes", {32, 64, 128, 256}, tile});
  space.add({"block_n", "columns of the result that a block computes", {32, 64, 128, 256}, tile});
  space.add({"slab", "terms of the sums between two barriers", slabs, 8});
  space.add({"thread_m", "rows of the result that a thread computes", thread, 8, {}, Role::work});
  space.add(
      {"thread_n", "columns of the result that a thread computes", thread, doubles ? 4 : 8, {}, Role::work});
  space.add({"slices",
             "groups of threads that share a slab, each with its terms of all of the block's sums",
             {1, 2, 4},
             1,
             {},
             Role::threads});
  space.add({"lanes_m", "lanes of a warp along the rows; the others lie along the columns", {4, 8}, 4});
  space.add({"lane_pairs",
             "whether lanes follow each other in pairs of two rows, or row after row: what a part of a warp "
             "reads of shared memory at once",
             {false, true},
             true});
  space.add({"vector", "neighbouring elements of an access to global memory",
             doubles ? std::vector<Value>{1, 2} : std::vector<Value>{1, 2, 4}, doubles ? 2 : 4});
  space.add({"group",
             "rows of tiles that consecutive blocks compute together, so that they share operands in L2",
             up_to({1, 4, 8, 16}, tiles_of(job.m, 32) * 2 - 1), groups.back()});
  space.add({"split", "parts of a sum, each computed by another block",
             up_to({1, 2, 3, 4, 6, 8, 12, 16}, job.k / 32), 1});
  if (job.k >= 64)
    space.add(
        {"atomic",
         "whether the parts are added to the result by atomic operations, in any order; else by a second "
         "kernel, in one order",
         {false, true},
         false,
         var("split") > 1});
  space.add_padded();
  space.add({"min_blocks",
             "blocks that shall fit on a multiprocessor: the compiler limits the registers accordingly",
             {1, 2, 3, 4},
             1});

  space.rule(var("block_m") % (var("thread_m") * var("lanes_m")) == 0,
             "a warp computes more rows than the block has, or does not divide them");
  space.rule(var("block_n") % (var("thread_n") * floor_div(32, var("lanes_m"))) == 0,
             "a warp computes more columns than the block has, or does not divide them");
  space.rule(blocked_threads() <= 512, "threads of so large a block wait for each other too often");
  space.rule(thread_elements() * var("words") <= 128,
             "the sums of a thread leave no registers for anything else");
  space.rule(var("slab") % (var("slices") * var("alignment")) == 0 && var("slab") >= var("slices") * 2,
             "slices of a slab are no whole pieces of 16 bytes");
  const Expr tiles = ceil_div(var("m"), var("block_m")) * ceil_div(var("n"), var("block_n"));
  space.rule(var("group") == 1 || var("group") < ceil_div(var("m"), var("block_m")) * 2,
             "there are not so many rows of tiles");
  space.rule(var("split") == 1 || tiles * (var("split") - 1) < var("multiprocessors") * 4,
             "fewer parts give every multiprocessor several tiles");
  space.rule(var("split") == 1 || var("split") * var("slab") * 4 <= var("k"),
             "the parts of a sum have fewer than four slabs");
  constexpr std::int64_t max = std::int64_t{1} << 31;
  space.rule((var("k") + 32) * var("block_m") < max && (var("n") + 32) * var("slab") < max,
             "distances between the elements of a slab do not fit 32 bits");
}

LaunchPlan plan_blocked(const GemmJob& job, const Configuration& configuration, const KernelSources& sources,
                        std::string_view file, std::vector<std::string_view> headers,
                        std::int64_t stage_bytes, std::int64_t stages) {
  const bool padded = is_padded(configuration);
  const std::int64_t split = value_or(configuration, "split", 1);
  const bool atomic = value_or(configuration, "atomic", 0) != 0;
  // Half of the slices leave their sums in shared memory at once, from any of the stages on.
  const std::int64_t slices = value_or(configuration, "slices", 1);
  const std::int64_t added_bytes = configuration["block_m"].as_int() * configuration["block_n"].as_int() *
                                   (slices / 2) * job.element_bytes();
  headers.insert(headers.end(), {"gemm/blocked_operands.cuh", "gemm/blocked_result.cuh",
                                 "gemm/blocked_tile.cuh", "common/vectors.cuh"});
  LaunchPlan plan;
  plan.compile = gemm_request(job, file, headers, configuration, sources);
  plan.compile.entries = {"gemm"};
  add_matrices(plan, job, padded);
  const GemmTile tile = tile_of_blocked(configuration);
  Launch launch;
  launch.entry = "gemm";
  launch.grid = {static_cast<std::uint32_t>(tiles_of(job.m, tile.m) * tiles_of(job.n, tile.n)),
                 static_cast<std::uint32_t>(split)};
  launch.block.x = static_cast<std::uint32_t>(blocked_threads(configuration));
  launch.dynamic_shared_memory =
      static_cast<std::uint64_t>(stage_bytes * (stages - 1) + std::max(stage_bytes, added_bytes));
  launch.arguments = gemm_arguments(job, padded);
  if (split > 1 && !atomic) {
    plan.buffers.push_back(parts_buffer(job, configuration));
    launch.arguments[2] = BufferArgument{parts};
  }
  if (atomic) plan.launches.emplace_back(scale(job, configuration));
  plan.launches.emplace_back(std::move(launch));
  if (split > 1 && !atomic) plan.launches.emplace_back(add_parts(job, configuration));
  if (split > 1) plan.compile.entries.emplace_back(atomic ? "gemm_scale" : "gemm_add_parts");
  return plan;
}

}  // namespace tune::kernels
