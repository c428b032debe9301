// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/problem.hpp"

#include "kernels/gemm/model/job.hpp"
#include "kernels/gemm/model/reference.hpp"
#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {
namespace {

ProblemInfo make_info() {
  ProblemInfo info;
  info.name = "gemm";
  info.summary = "product of two matrices, C = alpha A B + beta C";
  info.extents = {{"m", "rows of A and C", 4096},
                  {"n", "columns of B and C", 4096},
                  {"k", "columns of A, rows of B: terms of a sum", 4096}};
  info.settings = {
      {"type", "type of an element", {"float", "double"}, "float"},
      {"layout",
       "row: elements of a row lie next to each other; column: those of a column",
       {"row", "column"},
       "row",
       true},
      {"alpha", "factor of the product", {-2, -1, 0.5, 1, 2}, 1, true},
      {"beta", "factor of what C holds before; at 0 that is not read", {-1, 0, 0.5, 1}, 0, true},
      {"arithmetic",
       "the loosest arithmetic that is allowed for floats: strict: multiply-adds of floats; tf32x3: tensor "
       "cores, "
       "three products of parts of the operands in place of one, nearly as precise; tf32: operands are "
       "rounded "
       "to 11 bits",
       {"strict", "tf32x3", "tf32"},
       "strict",
       true},
  };
  info.item = "multiply-add";
  info.sources = gemm_files().names();
  return info;
}

class GemmProblem : public Problem {
 public:
  const ProblemInfo& info() const override { return info_; }

  search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const override {
    return gemm_space(gemm_job(instance), device);
  }

  ProblemCost cost(const Instance& instance) const override {
    const GemmJob job = gemm_job(instance);
    const auto m = static_cast<double>(job.m), n = static_cast<double>(job.n), k = static_cast<double>(job.k);
    ProblemCost cost;
    cost.items = job.multiply_adds();
    cost.flops = 2 * job.multiply_adds();
    cost.bytes = (m * k + k * n + m * n * (job.accumulates() ? 2 : 1)) * job.element_bytes();
    cost.arithmetic = job.type;
    cost.tensor = job.type == ElementType::f64           ? TensorUse::f64
                  : job.arithmetic == Arithmetic::tf32   ? TensorUse::tf32
                  : job.arithmetic == Arithmetic::tf32x3 ? TensorUse::tf32x3
                                                         : TensorUse::none;
    return cost;
  }

  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    return plan_gemm(gemm_job(instance), configuration, sources);
  }

  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override {
    return gemm_inputs(gemm_job(instance), seed);
  }

  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    TensorSet set;
    set.emplace("c", gemm_reference(gemm_job(instance), inputs));
    return set;
  }

  Tolerance tolerance(const Instance& instance) const override {
    return gemm_tolerance(gemm_job(instance), Arithmetic::strict);
  }

  std::vector<Instance> check_instances(const Instance& instance,
                                        const Configuration& configuration) const override {
    std::vector<Instance> instances;
    const bool column = instance.setting_or("layout", "row").as_text() == "column";
    for (const GemmSize& size : gemm_check_sizes(gemm_job(instance), configuration)) {
      Instance check = instance;
      check.extents = {{"m", column ? size.n : size.m}, {"n", column ? size.m : size.n}, {"k", size.k}};
      instances.push_back(std::move(check));
    }
    return instances;
  }

 private:
  ProblemInfo info_ = make_info();
};

}  // namespace

std::unique_ptr<Problem> make_gemm() {
  return std::make_unique<GemmProblem>();
}

}  // namespace tune::kernels
