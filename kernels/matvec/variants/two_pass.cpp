// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/variants/two_pass.hpp"

#include <cstdint>
#include <utility>

#include "kernels/matvec/model/launches.hpp"

namespace tune::kernels {
namespace {

/// One plan in the making.
struct TwoPass {
  const MatvecJob& job;
  MatvecShape shape;
  bool atomic, padded;
  std::int64_t parts;
  LaunchPlan plan;

  /// rows, columns, pitch, strip_rows, sums_pitch.
  std::vector<KernelArgument> extents(std::int64_t sums_pitch) const {
    return {int_argument(job.rows), int_argument(job.columns), long_argument(matvec_pitch(job, padded)),
            int_argument(shape.row_block), long_argument(sums_pitch)};
  }

  /// A product and what adds up its `count` sums for each of the `length` elements of `out`. `adds`: whether
  /// it uses atomics.
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

}  // namespace

bool two_pass_applies(const MatvecJob&) {
  return true;
}

Result<LaunchPlan> plan_two_pass(const MatvecJob& job, const Configuration& configuration,
                                 const KernelSources& sources) {
  TwoPass two{job,
              MatvecShape(job, configuration),
              configuration["reduction"].as_text() == "atomic",
              configuration["padded"].as_bool(),
              reduce_parts(configuration),
              {}};
  if (auto failure = beyond_indices(job, two.shape)) return tl::unexpected<Failure>(*std::move(failure));
  add_matvec_buffers(two.plan, job, two.padded);
  if (job.has_n())
    two.add(block_launch("matvec_n", two.shape, two.shape.shared_elements(true, false), job),
            {BufferArgument{"a"}, BufferArgument{"x"}}, "y", "y_parts", two.shape.slices, job.rows,
            two.atomic && two.shape.slices > 1);
  if (job.has_t())
    two.add(block_launch("matvec_t", two.shape, two.shape.shared_elements(false, true), job),
            {BufferArgument{"a"}, BufferArgument{"y"}}, "z", "z_parts", two.shape.row_blocks, job.columns,
            two.atomic);
  two.plan.compile = matvec_request(job, "matvec/two_pass.cu", {}, configuration, sources);
  static constexpr const char* ops[] = {"Op::n", "Op::t", "Op::ata"};
  two.plan.compile.defines.emplace_back("OP", ops[static_cast<std::size_t>(job.op)]);
  two.plan.compile.entries = {"matvec_reduce", "matvec_clear"};
  if (job.has_n()) two.plan.compile.entries.emplace_back("matvec_n");
  if (job.has_t()) two.plan.compile.entries.emplace_back("matvec_t");
  return std::move(two.plan);
}

void add_two_pass_rules(std::vector<search::Constraint>& rules, const MatvecJob&) {
  using search::var;
  const auto own = var("variant") == "two_pass";
  rules.push_back(
      {!own || var("reduction") != "barrier", "the barrier of a grid is of fused and cooperative launches"});
}

}  // namespace tune::kernels
