// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/matvec/model/files.hpp"
#include "kernels/matvec/model/job.hpp"
#include "kernels/matvec/model/reference.hpp"
#include "kernels/matvec/model/variant.hpp"

namespace tune::kernels {
namespace {

/// Returns small rows x columns at which a configuration is checked: several batches and a partial one, two
/// strips, two tiles if the variant takes them, narrower than a vector, a single element.
std::vector<CheckedSize> checked_sizes(const MatvecJob& job, const Configuration& configuration) {
  // The emulator needs a microsecond for each.
  constexpr std::int64_t max_elements = 1 << 17;
  const MatvecShape shape(job, configuration);
  const bool whole_rows = matvec_variants().of(configuration).checked(job, configuration).whole_rows;
  const bool padded = configuration["padded"].as_bool();
  // Rows of an unpadded matrix are whole vectors.
  const auto columns_near = [&](std::int64_t wanted) {
    const std::int64_t step = padded ? 1 : shape.vector;
    return std::max(step, wanted / step * step);
  };
  std::vector<CheckedSize> sizes;
  const auto add = [&](std::int64_t rows, std::int64_t columns) {
    if (rows > shape.batch + 1) rows = std::max(shape.batch + 1, std::min(rows, max_elements / columns));
    const CheckedSize size = {{{"rows", rows}, {"columns", columns}}};
    if (std::ranges::find(sizes, size.extents, &CheckedSize::extents) == sizes.end()) sizes.push_back(size);
  };
  const std::int64_t last = shape.batch > 1 ? shape.batch - 1 : 0;
  const std::int64_t batches = (shape.stages + 2) * shape.batch + last;
  const std::int64_t wide = whole_rows ? columns_near(shape.tile - 1) : columns_near(shape.tile * 5 / 2 + 1);
  add(batches, wide);
  // A second strip, if strips are short enough for a small size.
  if ((shape.row_block + shape.batch) * shape.tile <= max_elements)
    add(shape.row_block + shape.batch + last, columns_near(shape.tile));
  else
    add(shape.batch, shape.tile);
  // Narrow; two strips if these are short.
  add(shape.row_block <= 256 ? shape.row_block + shape.batch / 2 + 1 : 2 * shape.batch + 1,
      columns_near(shape.vector + 1));
  add(1, columns_near(std::min<std::int64_t>(shape.tile, 37)));
  add(1, columns_near(1));
  return sizes;
}

ProblemInfo matvec_info() {
  ProblemInfo info;
  info.name = "matvec";
  info.summary = "products of a matrix and its transpose with vectors";
  info.extents = {{"rows", "rows of the matrix", 16384},
                  {"columns", "columns of the matrix, the fastest dimension", 16384}};
  info.settings = {
      {"type", "type of an element", {"float", "double"}, "float"},
      {"op", "n: y = A x; t: z = A' y; ata: both in turn, z = A' (A x)", {"n", "t", "ata"}, "ata"},
  };
  info.item = "multiplied element";
  info.sources = matvec_kernels().names();
  return info;
}

ProblemCost matvec_cost(const MatvecJob& job) {
  const double products = job.op == MatvecJob::Op::ata ? 2 : 1;
  const auto vectors =
      static_cast<double>(job.op == MatvecJob::Op::ata ? job.rows + 2 * job.columns : job.rows + job.columns);
  ProblemCost cost;
  cost.items = products * job.elements();
  cost.flops = 2 * cost.items;
  cost.bytes = (job.elements() + vectors) * job.element_bytes();
  cost.arithmetic = job.type;
  return cost;
}

Result<LaunchPlan> plan_matvec(const MatvecJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  return matvec_variants().of(configuration).plan(job, configuration, sources);
}

class MatvecProblem : public FamilyProblem<MatvecJob>, public HasFiles {
 public:
  using FamilyProblem::FamilyProblem;
  const ProblemFiles& files() const override { return matvec_files(); }
};

}  // namespace

/// Products of a matrix of `rows` x `columns`, row after row, with vectors: y = A x, z = A' y, or both.
/// Buffers `a`, `x`, `y` and `z`.
std::unique_ptr<Problem> make_matvec() {
  return std::make_unique<MatvecProblem>(
      matvec_info(),
      FamilyFunctions<MatvecJob>{matvec_job, matvec_space, matvec_cost, plan_matvec, matvec_inputs,
                                 matvec_reference, matvec_tolerance, checked_sizes});
}

}  // namespace tune::kernels
