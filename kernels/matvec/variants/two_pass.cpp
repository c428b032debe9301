// SPDX-License-Identifier: Apache-2.0
// The variant `two_pass`: a kernel for each product, and one that adds the sums of tiles and strips.
#include "kernels/framework/request.hpp"
#include "kernels/matvec/model/variant.hpp"

namespace tune::kernels {
namespace {

using search::var;

struct TwoPass {
  const MatvecJob& job;
  const MatvecShape& shape;
  bool padded;
  std::int64_t parts;
  LaunchPlan plan;

  std::vector<KernelArgument> extents(std::int64_t sums_pitch) const {
    return {int32(job.rows), int32(job.columns), int64(matvec_pitch(job, padded)), int32(shape.row_block),
            int64(sums_pitch)};
  }

  /// Adds a product and the step that adds its `count` sums for each of the `length` elements of `out`.
  /// `adds`: it uses atomics.
  void add(Launch launch, std::vector<KernelArgument> from, const char* out, const char* partial,
           std::int64_t count, std::int64_t length, bool adds) {
    const bool apart = count > 1 && !adds;
    if (adds) plan.launches.emplace_back(clear_launch(out, length));
    if (apart) add_partial_sums(plan, job, partial, count, length);
    launch.arguments = std::move(from);
    launch.arguments.emplace_back(BufferArgument{apart ? partial : out});
    for (KernelArgument& argument : extents(apart ? partial_pitch(length) : 0))
      launch.arguments.push_back(std::move(argument));
    plan.launches.emplace_back(std::move(launch));
    if (apart) plan.launches.emplace_back(reduce_launch(partial, out, count, length, parts));
  }
};

void add_two_pass(FamilySpace& space, const MatvecJob&) {
  space.rule(var("reduction") != "barrier", "the barrier of a grid is of fused and cooperative launches");
}

Result<LaunchPlan> plan_two_pass(const MatvecJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  const MatvecShape shape(job, configuration);
  Result<LaunchPlan> plan = matvec_plan(job, shape, "two_pass.cu", configuration, sources);
  if (!plan) return plan;
  const bool atomic = configuration["reduction"].as_text() == "atomic";
  TwoPass two{job, shape, configuration["padded"].as_bool(), reduce_parts(configuration), *std::move(plan)};
  const auto launch = [&](const char* entry, bool products) {
    return block_launch(entry, shape, matvec_shared(products, !products), job, configuration);
  };
  if (job.has_n())
    two.add(launch("matvec_n", true), {BufferArgument{"a"}, BufferArgument{"x"}}, "y", "y_parts",
            shape.slices, job.rows, atomic && shape.slices > 1);
  if (job.has_t())
    two.add(launch("matvec_t", false), {BufferArgument{"a"}, BufferArgument{"y"}}, "z", "z_parts",
            shape.row_blocks, job.columns, atomic);
  static constexpr const char* ops[] = {"Op::n", "Op::t", "Op::ata"};
  two.plan.compile.defines.emplace_back("OP", ops[static_cast<std::size_t>(job.op)]);
  two.plan.compile.entries = {"matvec_reduce", "matvec_clear"};
  if (job.has_n()) two.plan.compile.entries.emplace_back("matvec_n");
  if (job.has_t()) two.plan.compile.entries.emplace_back("matvec_t");
  return std::move(two.plan);
}

}  // namespace

MatvecVariant two_pass_matvec() {
  return {"two_pass", "a kernel for each product", always, add_two_pass, plan_two_pass, check_part_of_rows};
}

}  // namespace tune::kernels
