// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/problem.hpp"

#include <algorithm>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/matvec/check_sizes.hpp"
#include "kernels/matvec/model/files.hpp"
#include "kernels/matvec/model/job.hpp"
#include "kernels/matvec/model/reference.hpp"
#include "kernels/matvec/variants.hpp"

namespace tune::kernels {
namespace {

constexpr const char* files[] = {"common/async_copy.cuh", "common/vectors.cuh",      "matvec/cooperative.cu",
                                 "matvec/exchange.cuh",   "matvec/fused.cu",         "matvec/march.cuh",
                                 "matvec/sliced.cu",      "matvec/sliced.cuh",       "matvec/strip.cuh",
                                 "matvec/sums.cuh",       "matvec/sums_kernels.cuh", "matvec/two_pass.cu",
                                 "matvec/words.cuh"};

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
  for (const char* file : files) info.sources.emplace_back(file);
  info.sources.emplace_back(grid_barrier_file);
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
    return matvec_variant_of(configuration).plan(matvec_job(instance), configuration, sources);
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
    for (const auto& [rows, columns] : matvec_check_sizes(matvec_job(instance), configuration)) {
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
