// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/variants/sliced.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/matvec/model/launches.hpp"
#include "search/expressions/expr.hpp"

namespace tune::kernels {
namespace {

/// Batches whose words exist at a time (sliced.cuh).
std::int64_t slots(std::int64_t lag) {
  std::int64_t power = 1;
  while (power < 2 * lag + 2) power *= 2;
  return power;
}

void add_words(LaunchPlan& plan, const MatvecJob& job, const MatvecShape& shape, std::int64_t lag) {
  const std::int64_t words =
      shape.row_blocks * slots(lag) * shape.batch * (job.element_bytes() / 4) * shape.slices;
  plan.buffers.push_back({"words", ElementType::u64, Layout::dense({static_cast<std::uint64_t>(words)}),
                          BufferRole::scratch, false, BufferFill::zero});
  plan.buffers.push_back(
      {"state", ElementType::u32, Layout::dense({2}), BufferRole::scratch, false, BufferFill::zero});
}

}  // namespace

bool sliced_applies(const MatvecJob& job) {
  return job.op == MatvecJob::Op::ata;
}

Result<LaunchPlan> plan_sliced(const MatvecJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  const MatvecShape shape(job, configuration);
  if (auto failure = beyond_indices(job, shape)) return tl::unexpected<Failure>(*std::move(failure));
  LaunchPlan plan;
  plan.compile = matvec_request(job, "matvec/sliced.cu", {"matvec/exchange.cuh", "matvec/sliced.cuh"},
                                configuration, sources);
  plan.compile.headers.push_back(grid_barrier_header(sources));
  plan.compile.entries = {"matvec_sliced", "matvec_reduce", "matvec_clear"};
  add_matvec_buffers(plan, job, configuration["padded"].as_bool());
  add_words(plan, job, shape, configuration["lag"].as_int());
  Launch launch = block_launch("matvec_sliced", shape, shape.shared_elements(true, true), job);
  launch.cooperative = true;
  launch.arguments = {BufferArgument{"a"}, BufferArgument{"x"}, BufferArgument{"y"}};
  add_summed_launch(plan, job, shape, configuration, std::move(launch),
                    {BufferArgument{"words"}, BufferArgument{"state"}});
  return plan;
}

void add_sliced_rules(std::vector<search::Constraint>& rules, const MatvecJob&) {
  using search::ceil_div;
  using search::var;
  const auto own = var("variant") == "sliced";
  const auto add = [&](const search::Expr& rule, const char* reason) {
    rules.push_back({!own || rule, reason});
  };
  const auto tile = var("block_x") * var("vector") * var("unroll_x");
  add(var("kept") == "shared", "batches wait for their products in shared memory");
  add(var("block_x") >= 32, "blocks that share rows have at least a warp for each");
  add(tile < var("columns"), "a block that has whole rows shares none: that is fused");
  add(ceil_div(var("columns"), tile) * ceil_div(var("rows"), var("strip")) <=
          var("multiprocessors") * var("min_blocks"),
      "all blocks have to be on the multiprocessors at once");
  rules.push_back(
      {var("stages") >= var("lag") + 2, "a stage is filled while others wait for their products"});
}

}  // namespace tune::kernels
