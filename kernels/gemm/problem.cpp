// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/model/job.hpp"
#include "kernels/gemm/model/reference.hpp"
#include "kernels/gemm/model/variant.hpp"

namespace tune::kernels {
namespace {

ProblemInfo gemm_info() {
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
      {"beta", "factor of the old contents of C, which are not read at 0", {-1, 0, 0.5, 1}, 0, true},
      {"arithmetic",
       "the loosest arithmetic that is allowed for floats: strict: multiply-adds of floats; tf32x3: tensor "
       "cores, three products of parts of the operands in place of one, nearly as precise; tf32: operands "
       "are rounded to 11 bits",
       {"strict", "tf32x3", "tf32"},
       "strict",
       true},
  };
  info.item = "multiply-add";
  info.sources = gemm_files().names();
  return info;
}

ProblemCost gemm_cost(const GemmJob& job) {
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

TensorSet reference(const GemmJob& job, const TensorSet& inputs) {
  return tensor_set("c", gemm_reference(job, inputs));
}

Tolerance tolerance(const GemmJob& job) {
  return gemm_tolerance(job, Arithmetic::strict);
}

std::vector<CheckedSize> checked_sizes(const GemmJob& job, const Configuration& configuration) {
  std::vector<CheckedSize> sizes;
  for (const GemmSize& size : gemm_check_sizes(job, configuration)) {
    const auto [m, n] = job.is_column_major() ? std::pair{size.n, size.m} : std::pair{size.m, size.n};
    sizes.push_back({{{"m", m}, {"n", n}, {"k", size.k}}});
  }
  return sizes;
}

}  // namespace

/// C = alpha A B + beta C for dense matrices: A has m x k elements, B k x n, C m x n. Buffers `a`, `b` and
/// `c`. The first extent of a tensor is that of a row (column-major: of a column).
std::unique_ptr<Problem> make_gemm() {
  return std::make_unique<FamilyProblem<GemmJob>>(
      gemm_info(),
      FamilyFunctions<GemmJob>{
          gemm_job, gemm_space, gemm_cost, plan_gemm, gemm_inputs, reference, tolerance, checked_sizes,
          [](const GemmJob& job, const search::Value& variant, const DeviceProperties& device) {
            return gemm_variants().least_seconds(job, variant, device);
          }});
}

}  // namespace tune::kernels
