// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm_stream/problem.hpp"

#include <algorithm>

#include "kernels/gemm/model/reference.hpp"
#include "kernels/gemm/model/variant.hpp"
#include "kernels/gemm_stream/job.hpp"
#include "kernels/gemm_stream/pipeline.hpp"
#include "kernels/gemm_stream/reference.hpp"

namespace tune::kernels {

using search::Configuration;

namespace {

/// More would be plans of tens of thousands of steps.
constexpr std::int64_t max_products = 4096;

ProblemInfo make_info() {
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

class GemmStreamProblem : public Problem {
 public:
  const ProblemInfo& info() const override { return info_; }

  search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const override {
    return gemm_stream_space(stream_job(instance), device);
  }

  ProblemCost cost(const Instance& instance) const override {
    const StreamJob job = stream_job(instance);
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

  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    return plan_gemm_stream(stream_job(instance), configuration, sources);
  }

  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override {
    const StreamJob job = stream_job(instance);
    return stream_inputs(job, seed, own_products(job));
  }

  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    TensorSet set;
    const StreamJob job = stream_job(instance);
    set.emplace("c", stream_reference(job, inputs, own_products(job)));
    return set;
  }

  Tolerance tolerance(const Instance& instance) const override {
    return gemm_tolerance(stream_job(instance).product, Arithmetic::strict);
  }

  std::vector<Instance> check_instances(const Instance& instance,
                                        const Configuration& configuration) const override;

 private:
  ProblemInfo info_ = make_info();
};

/// The kernel's sizes with few products; and more pieces than are under way at once, of tiny products.
std::vector<Instance> GemmStreamProblem::check_instances(const Instance& instance,
                                                         const Configuration& configuration) const {
  const StreamPlan streaming = stream_plan(configuration);
  const StreamJob job = stream_job(instance);
  const Configuration one = product_configuration(job, configuration);
  std::vector<Instance> instances;
  const auto add = [&](const GemmSize& size, std::int64_t count) {
    Instance check = instance;
    check.extents = {{"m", size.m}, {"n", size.n}, {"k", size.k}};
    for (auto& [name, value] : check.settings)
      if (name == "count") value = std::min(count, max_products);
    instances.push_back(std::move(check));
  };
  std::int64_t products = 3;
  for (const GemmSize& size : gemm_check_sizes(job.product, one)) add(size, products = products % 3 + 1);
  const std::int64_t vector = row_vector(one);
  add({5, 3 * vector, 2 * vector}, streaming.chunk * (2 * streaming.streams) + 1);
  return instances;
}

}  // namespace

std::unique_ptr<Problem> make_gemm_stream() {
  return std::make_unique<GemmStreamProblem>();
}

}  // namespace tune::kernels
