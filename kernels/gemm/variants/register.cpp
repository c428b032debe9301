// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/variants/register.hpp"

#include "kernels/gemm/variants/blocked.hpp"

namespace tune::kernels {

using search::Expr;
using search::var;

namespace {

/// Elements of a slab of both operands in shared memory, rows of the left one with a piece more.
template<class Number>
Number stage_elements(const Number& block_m, const Number& block_n, const Number& slab, const Number& piece) {
  return (block_m + piece + block_n) * slab;
}

}  // namespace

void add_register_rules(GemmSpace& space, const GemmJob& job, const DeviceProperties&) {
  add_blocked_rules(space, job, {8, 16, 32});
  space.add(
      {"stages",
       "slabs in shared memory, one of which is multiplied; from three on the barrier between two slabs "
       "comes earlier",
       {2, 3},
       2});
  const Expr items = (ceil_div(var("block_m") * var("slab"), blocked_threads() * var("vector")) +
                      ceil_div(var("block_n") * var("slab"), blocked_threads() * var("vector")));
  // Sums, fragments twice, the slab on its way and the items' offsets, addresses and counters.
  const Expr registers = (thread_elements() + (var("thread_m") + var("thread_n")) * 2) * var("words") +
                         items * (var("vector") * var("words") + 1) + 22;
  const Expr stage =
      stage_elements<Expr>(var("block_m"), var("block_n"), var("slab"), var("alignment")) * var("words") * 4;
  space.add_limits(blocked_threads(), registers, blocked_shared(stage));
}

Result<LaunchPlan> plan_register(const GemmJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  const auto value = [&](const char* name) { return configuration[name].as_int(); };
  const std::int64_t stage = stage_elements<std::int64_t>(value("block_m"), value("block_n"), value("slab"),
                                                          16 / job.element_bytes()) *
                             job.element_bytes();
  return plan_blocked(job, configuration, sources, "gemm/register.cu", {}, stage,
                      value_or(configuration, "stages", 2));
}

}  // namespace tune::kernels
