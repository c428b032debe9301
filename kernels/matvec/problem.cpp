// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/problem.hpp"

#include <algorithm>

#include "kernels/matvec/model/files.hpp"
#include "kernels/matvec/model/job.hpp"
#include "kernels/matvec/model/reference.hpp"
#include "kernels/matvec/model/variant.hpp"

namespace tune::kernels {
namespace {

/// Small rows x columns at which a configuration is checked: several batches and one that is not full, two
/// strips, two tiles where the variant takes them, narrower than a vector, a single element.
std::vector<std::pair<std::int64_t, std::int64_t>> check_sizes(const MatvecJob& job,
                                                               const Configuration& configuration) {
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
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
  const auto add = [&](std::int64_t rows, std::int64_t columns) {
    if (rows > shape.batch + 1) rows = std::max(shape.batch + 1, std::min(rows, max_elements / columns));
    if (std::ranges::find(sizes, std::pair{rows, columns}) == sizes.end()) sizes.emplace_back(rows, columns);
  };
  const std::int64_t last = shape.batch > 1 ? shape.batch - 1 : 0;
  const std::int64_t batches = (shape.stages + 2) * shape.batch + last;
  const std::int64_t wide = whole_rows ? columns_near(shape.tile - 1) : columns_near(shape.tile * 5 / 2 + 1);
  add(batches, wide);
  // A second strip, where strips are not too long for a small size.
  if ((shape.row_block + shape.batch) * shape.tile <= max_elements)
    add(shape.row_block + shape.batch + last, columns_near(shape.tile));
  else
    add(shape.batch, shape.tile);
  // Narrow: two strips here too, where they are short.
  add(shape.row_block <= 256 ? shape.row_block + shape.batch / 2 + 1 : 2 * shape.batch + 1,
      columns_near(shape.vector + 1));
  add(1, columns_near(std::min<std::int64_t>(shape.tile, 37)));
  add(1, columns_near(1));
  return sizes;
}

ProblemInfo make_info() {
  ProblemInfo info;
  info.name = "matvec";
  info.summary = "products of a matrix and its transpose with vectors";
  info.extents = {{"rows", "rows of the matrix", 16384},
                  {"columns", "columns of the matrix, the fastest dimension", 16384}};
  info.settings = {
      {"type", "type of an element", {"float", "double"}, "float"},
      {"op", "n: y = A x; t: z = A' y; ata: both after each other, z = A' (A x)", {"n", "t", "ata"}, "ata"},
  };
  info.item = "multiplied element";
  info.sources = matvec_kernels().names();
  return info;
}

class MatvecProblem : public Problem, public HasFiles {
 public:
  const ProblemInfo& info() const override { return info_; }

  search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const override {
    return matvec_space(matvec_job(instance), device);
  }

  ProblemCost cost(const Instance& instance) const override {
    const MatvecJob job = matvec_job(instance);
    const double products = job.op == MatvecJob::Op::ata ? 2 : 1;
    // x or y is read, what is computed is written.
    const auto vectors = static_cast<double>(job.op == MatvecJob::Op::ata ? job.rows + 2 * job.columns
                                                                          : job.rows + job.columns);
    ProblemCost cost;
    cost.items = products * job.elements();
    cost.flops = 2 * cost.items;
    cost.bytes = (job.elements() + vectors) * job.element_bytes();
    cost.arithmetic = job.type;
    return cost;
  }

  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    return matvec_variants().of(configuration).plan(matvec_job(instance), configuration, sources);
  }

  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override {
    return matvec_inputs(matvec_job(instance), seed);
  }

  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    return matvec_reference(matvec_job(instance), inputs);
  }

  Tolerance tolerance(const Instance& instance) const override {
    return matvec_tolerance(matvec_job(instance));
  }

  const ProblemFiles& files() const override { return matvec_files(); }

  std::vector<Instance> check_instances(const Instance& instance,
                                        const Configuration& configuration) const override {
    std::vector<Instance> instances;
    for (const auto& [rows, columns] : check_sizes(matvec_job(instance), configuration)) {
      Instance check = instance;
      check.extents = {{"rows", rows}, {"columns", columns}};
      instances.push_back(std::move(check));
    }
    return instances;
  }

 private:
  ProblemInfo info_ = make_info();
};

}  // namespace

MatvecJob matvec_job(const Instance& instance) {
  MatvecJob job;
  job.rows = instance.extent("rows");
  job.columns = instance.extent("columns");
  job.type = instance.setting("type").as_text() == "double" ? ElementType::f64 : ElementType::f32;
  const std::string& op = instance.setting("op").as_text();
  job.op = op == "n" ? MatvecJob::Op::n : op == "t" ? MatvecJob::Op::t : MatvecJob::Op::ata;
  return job;
}

std::unique_ptr<Problem> make_matvec() {
  return std::make_unique<MatvecProblem>();
}

}  // namespace tune::kernels
