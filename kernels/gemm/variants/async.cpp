// SPDX-License-Identifier: Apache-2.0
// The variant `async`: tiles of threads in registers, slabs on their way by asynchronous copies.
#include "kernels/gemm/model/variant.hpp"
#include "kernels/gemm/variants/blocked.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

/// Returns the bytes of a slab of both operands in shared memory.
Expr async_stage() {
  const Expr left = if_else(var("transposed"), (var("block_m") + var("alignment")) * var("slab"),
                            var("block_m") * (var("slab") + var("alignment")));
  return (left + var("block_n") * var("slab")) * var("words") * 4;
}

void add_async(FamilySpace& space, const GemmJob& job) {
  add_blocked(space, job);
  space.add("stages", "slabs in shared memory, one of which is multiplied", {2, 3, 4, 5}, 3);
  space.add("early",
            "whether the barrier between two slabs comes before the last reads of one, or after them",
            {false, true}, true, var("stages") > 2);
  space.add("transposed",
            "whether the left operand is transposed on its way to shared memory, one element a copy, or "
            "lies there as in memory and is read several terms at a time",
            {false, true}, true);
  space.rule(has_async_copies(), no_async_copies);
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
  add_gemm_limits(space, blocked_threads(), registers, blocked_shared(async_stage()));
}

Result<LaunchPlan> plan_async(const GemmJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  return plan_blocked(job, configuration, sources, "async.cu", async_stage(), 3);
}

}  // namespace

GemmVariant async_gemm() {
  return {"async",    "like register, but slabs come by asynchronous copies (cp.async)",
          always,     add_async,
          plan_async, tile_of_blocked,
          nullptr,    seconds_on_scalar_cores};
}

}  // namespace tune::kernels
