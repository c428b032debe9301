// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/variants/async.hpp"

#include "kernels/gemm/variants/blocked.hpp"

namespace tune::kernels {

using search::Expr;
using search::var;

void add_async_rules(GemmSpace& space, const GemmJob& job, const DeviceProperties&) {
  add_blocked_rules(space, job, {8, 16, 32});
  space.add({"stages", "slabs in shared memory, one of which is multiplied", {2, 3, 4, 5}, 3});
  space.add({"early",
             "whether the barrier between two slabs comes before the last reads of one, or after them",
             {false, true},
             true,
             var("stages") > 2});
  space.add({"transposed",
             "whether the left operand is transposed on its way to shared memory, one element a copy, or "
             "lies there as in memory and is read several terms at a time",
             {false, true},
             true});
  const Expr transposed = var("transposed");
  space.rule(transposed || var("slab") % (var("slices") * var("alignment") * 2) == 0,
             "slices of a slab have an odd number of pieces of 16 bytes, which are loaded in turns");
  const Expr left_items =
      ceil_div(var("block_m") * var("slab"), blocked_threads() * if_else(transposed, 1, var("vector")));
  const Expr right_items = ceil_div(var("block_n") * var("slab"), blocked_threads() * var("vector"));
  space.rule(left_items + right_items <= 24, "a thread starts too many copies a slab");
  // Sums, fragments, the copies' offsets, addresses and counters.
  const Expr lefts = var("thread_m") * if_else(transposed, 2, var("alignment") + 1);
  const Expr registers = (thread_elements() + lefts + var("thread_n") * 2) * var("words") + left_items +
                         right_items + if_else(transposed, 26, 30);
  const Expr left = if_else(transposed, (var("block_m") + var("alignment")) * var("slab"),
                            var("block_m") * (var("slab") + var("alignment")));
  const Expr stage = (left + var("block_n") * var("slab")) * var("words") * 4;
  space.add_limits(blocked_threads(), registers, blocked_shared(stage));
}

Result<LaunchPlan> plan_async(const GemmJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  const auto value = [&](const char* name) { return configuration[name].as_int(); };
  const std::int64_t piece = 16 / job.element_bytes(), slab = value("slab");
  const std::int64_t left = value_or(configuration, "transposed", 1) != 0 ? (value("block_m") + piece) * slab
                                                                          : value("block_m") * (slab + piece);
  const std::int64_t stage = (left + value("block_n") * slab) * job.element_bytes();
  return plan_blocked(job, configuration, sources, "gemm/async.cu", {"common/async_copy.cuh"}, stage,
                      value_or(configuration, "stages", 3));
}

}  // namespace tune::kernels
