// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/gemm/model/reference.hpp"
#include "kernels/gemm/model/variant.hpp"
#include "kernels/gemm_stream/job.hpp"
#include "kernels/gemm_stream/pipeline.hpp"
#include "kernels/gemm_stream/reference.hpp"

namespace tune::kernels {

using search::Configuration;

namespace {

/// Plans of more products would have tens of thousands of steps.
constexpr std::int64_t max_products = 4096;

ProblemInfo gemm_stream_info() {
  ProblemInfo info;
  info.name = "gemm_stream";
  info.summary =
      "products of a set of matrices in host memory, C_i = A_i B_i: copied, multiplied, copied back";
  info.extents = {{"m", "rows of each A and C", 2048},
                  {"n", "columns of each B and C", 2048},
                  {"k", "columns of each A, rows of each B: terms of a sum", 2048}};
  info.settings = {{"type", "type of an element", {"float", "double"}, "float"}};
  SettingInfo count{"count", "how many products there are", {}, 64};
  count.range = {1, max_products};
  info.settings.push_back(count);
  info.item = "multiply-add";
  info.sources = gemm_files().with_included({"async.cu", "register.cu"});
  return info;
}

ProblemCost stream_cost(const StreamJob& job) {
  const double element = job.product.element_bytes();
  ProblemCost cost;
  cost.items = static_cast<double>(job.count) * job.product.multiply_adds();
  cost.flops = 2 * cost.items;
  cost.bytes_in = (job.left_elements() + job.right_elements()) * element;
  cost.bytes_out = job.result_elements() * element;
  cost.bytes = cost.bytes_in + cost.bytes_out;
  cost.arithmetic = job.product.type;
  if (job.product.type == ElementType::f64) cost.tensor = TensorUse::f64;
  return cost;
}

TensorSet inputs(const StreamJob& job, std::uint64_t seed) {
  return stream_inputs(job, seed, own_products(job));
}

TensorSet reference(const StreamJob& job, const TensorSet& inputs) {
  return tensor_set("c", stream_reference(job, inputs, own_products(job)));
}

Tolerance tolerance(const StreamJob& job) {
  return gemm_tolerance(job.product, Arithmetic::strict);
}

/// Returns the kernel's sizes with few products, and tiny products in more pieces than are under way at once.
std::vector<CheckedSize> checked_sizes(const StreamJob& job, const Configuration& configuration) {
  const StreamPlan streaming = stream_plan(configuration);
  const Configuration one = product_configuration(job, configuration);
  std::vector<CheckedSize> sizes;
  const auto add = [&](const GemmSize& size, std::int64_t count) {
    sizes.push_back(
        {{{"m", size.m}, {"n", size.n}, {"k", size.k}}, {{"count", std::min(count, max_products)}}});
  };
  std::int64_t products = 3;
  for (const GemmSize& size : gemm_check_sizes(job.product, one)) add(size, products = products % 3 + 1);
  const std::int64_t vector = row_vector(one);
  add({5, 3 * vector, 2 * vector}, streaming.chunk * (2 * streaming.streams) + 1);
  return sizes;
}

}  // namespace

/// `gemm_stream`: products of a set of matrices in host memory.
std::unique_ptr<Problem> make_gemm_stream() {
  return std::make_unique<FamilyProblem<StreamJob>>(
      gemm_stream_info(),
      FamilyFunctions<StreamJob>{stream_job, gemm_stream_space, stream_cost, plan_gemm_stream, inputs,
                                 reference, tolerance, checked_sizes});
}

}  // namespace tune::kernels
