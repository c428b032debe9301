// SPDX-License-Identifier: Apache-2.0
// The variant `sliced`: blocks that share rows exchange their products.
#include "kernels/matvec/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::var;

/// Returns the number of batches whose words exist at a time (sliced.cuh).
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

void add_sliced(FamilySpace& space, const MatvecJob&) {
  space.rule(var("kept") == "shared", "batches wait for their products in shared memory");
  space.rule(var("block_x") >= 32, "blocks that share rows have at least a warp for each");
  space.rule(matvec_tile() < var("columns"), "a block that has whole rows shares none: that is fused");
  space.rule(matvec_slices() * matvec_row_blocks() <= var("multiprocessors") * var("min_blocks"),
             "all blocks must be resident at once");
  space.rules_of_all().add(var("stages") >= var("lag") + 2,
                           "a stage is filled while others wait for their products");
}

Result<LaunchPlan> plan_sliced(const MatvecJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  const MatvecShape shape(job, configuration);
  Result<LaunchPlan> plan = matvec_plan(job, shape, "sliced.cu", configuration, sources);
  if (!plan) return plan;
  plan->compile.entries = {"matvec_sliced", "matvec_reduce", "matvec_clear"};
  add_words(*plan, job, shape, configuration["lag"].as_int());
  Launch launch = block_launch("matvec_sliced", shape, matvec_shared(true, true), job, configuration);
  launch.cooperative = true;
  launch.arguments = {BufferArgument{"a"}, BufferArgument{"x"}, BufferArgument{"y"}};
  add_summed_launch(*plan, job, shape, configuration, std::move(launch),
                    {BufferArgument{"words"}, BufferArgument{"state"}});
  return plan;
}

}  // namespace

MatvecVariant sliced_matvec() {
  return {"sliced",
          "A is read once: blocks that share rows exchange their products, in one cooperative launch",
          computes_both,
          add_sliced,
          plan_sliced,
          check_part_of_rows};
}

}  // namespace tune::kernels
