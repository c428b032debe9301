// SPDX-License-Identifier: Apache-2.0
// The variant `register`: tiles of threads in registers, slabs on their way in registers too.
#include "kernels/gemm/model/variant.hpp"
#include "kernels/gemm/variants/blocked.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

/// Returns the bytes of a slab of both operands in shared memory; rows of the left one have a gap of 16
/// bytes.
Expr register_stage() {
  return (var("block_m") + var("alignment") + var("block_n")) * var("slab") * var("words") * 4;
}

void add_register(FamilySpace& space, const GemmJob& job) {
  add_blocked(space, job);
  space.add("stages",
            "slabs in shared memory, one of which is multiplied; from three on the barrier between two slabs "
            "comes earlier",
            {2, 3}, 2);
  const Expr items = (ceil_div(var("block_m") * var("slab"), blocked_threads() * var("vector")) +
                      ceil_div(var("block_n") * var("slab"), blocked_threads() * var("vector")));
  // Sums, fragments twice, the slab on its way and the items' offsets, addresses and counters.
  const Expr registers = (thread_elements() + (var("thread_m") + var("thread_n")) * 2) * var("words") +
                         items * (var("vector") * var("words") + 1) + 22;
  add_gemm_limits(space, blocked_threads(), registers, blocked_shared(register_stage()));
}

Result<LaunchPlan> plan_register(const GemmJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  return plan_blocked(job, configuration, sources, "register.cu", register_stage(), 2);
}

}  // namespace

GemmVariant register_gemm() {
  return {"register",
          "threads compute tiles in registers from slabs in shared memory, the next slab comes through "
          "registers",
          always,
          add_register,
          plan_register,
          tile_of_blocked,
          nullptr,
          seconds_on_scalar_cores};
}

}  // namespace tune::kernels
