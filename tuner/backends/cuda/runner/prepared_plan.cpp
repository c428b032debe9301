// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/prepared_plan.hpp"

#include <algorithm>
#include <utility>

#include "tuner/backends/cuda/runner/plan_checks.hpp"
#include "tuner/backends/cuda/runner/plan_timer.hpp"
#include "tuner/backends/cuda/runtime/module.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
CudaPreparedPlan::CudaPreparedPlan(DeviceContext& context, std::shared_ptr<const Module> module,
                                   PlanBuffers buffers, PlanTextures textures, FourierPlans transforms,
                                   LaunchSequence setup, LaunchSequence launches,
                                   std::vector<KernelResources> resources, GraphUse graph)
    : context_(context),
      module_(std::move(module)),
      buffers_(std::move(buffers)),
      textures_(std::move(textures)),
      transforms_(std::move(transforms)),
      setup_(std::move(setup)),
      launches_(std::move(launches)),
      resources_(std::move(resources)),
      graph_(graph) {}

CudaPreparedPlan::~CudaPreparedPlan() {
  // Nothing may run any more when the code is unloaded and the memory is given to the next plan.
  ignore(cudaStreamSynchronize(context_.stream.get()));
}

Result<void> CudaPreparedPlan::run_checked(const TensorViews& inputs) {
  context_.enter();
  buffers_.fill(inputs, context_.snapshots, context_.checks(), context_.stream.get());
  check(textures_.fill(context_.stream.get()));
  fill_variables();
  check(wait());
  filled_ = true;
  auto status = setup_.enqueue(context_.stream.get());
  if (status == cudaSuccess) status = launches_.enqueue(context_.stream.get());
  if (status == cudaSuccess) status = wait();
  if (status == cudaSuccess) return {};
  return tl::unexpected(failure(status));
}

/// What a kernel does not use, its binary need not have.
void CudaPreparedPlan::fill_variables() {
  for (const auto& buffer : buffers_.all()) {
    if (buffer.spec.symbol.empty()) continue;
    void* address = nullptr;
    std::size_t bytes = 0;
    check(find_variable(address, bytes, *module_, buffer.spec.symbol));
    if (address == nullptr) continue;
    const auto wanted = static_cast<std::size_t>(buffer.spec.allocation_bytes());
    if (wanted > bytes)
      throw Error(format("variable `{}` of the kernel has {} bytes, the plan gives {}", buffer.spec.symbol,
                         bytes, wanted));
    check(cudaMemcpyAsync(address, buffer.data(), wanted, cudaMemcpyDeviceToDevice, context_.stream.get()));
  }
}

Failure CudaPreparedPlan::failure(cudaError_t status) const {
  auto failure = context_.failure(status);
  if (failure.phase != Phase::launch) return failure;
  for (const auto* sequence : {&setup_, &launches_})
    if (!sequence->refusal().empty()) failure = {Phase::launch, "cuFFT", sequence->refusal()};
  return failure;
}

Result<TensorView> CudaPreparedPlan::fetch(std::string_view buffer) {
  context_.enter();
  const auto& spec = buffers_.find(buffer).spec;
  const auto size = element_count(spec.layout.extents) * element_size(spec.type);
  auto* const host = context_.staging(size);
  buffers_.fetch(buffer, host, context_.stream.get());
  if (const auto status = wait(); status != cudaSuccess) return tl::unexpected(context_.failure(status));
  return TensorView{spec.type, spec.layout.extents, {host, size}};
}

Result<void> CudaPreparedPlan::check_memory() {
  context_.enter();
  if (!filled_) throw Error("memory can be checked after a checked run only");
  return cuda::check_memory(buffers_, context_);
}

Result<Comparison> CudaPreparedPlan::compare(std::string_view buffer, const TensorView& reference,
                                             const Bounds& bounds) {
  context_.enter();
  const auto& output = buffers_.find(buffer);
  if (const auto status = buffers_.stage(output, context_.stream.get()); status != cudaSuccess)
    return tl::unexpected(context_.failure(status));
  const auto found = compare_on_device(output, reference, bounds, context_);
  if (!found) return tl::unexpected(found.error());
  if (*found) return **found;
  const auto fetched = fetch(buffer);
  if (!fetched) return tl::unexpected(fetched.error());
  return tune::compare(*fetched, reference, bounds);
}

Result<Timing> CudaPreparedPlan::measure(const MeasureOptions& options) {
  context_.enter();
  if (!filled_) throw Error("a plan can be measured after a checked run only: its inputs are not filled yet");
  PlanTimer timer(buffers_, launches_, options.flush_cache, graph_, context_);
  if (const auto warm = timer.warm_up(options.warmup); !warm) return tl::unexpected(warm.error());
  auto timing = take_samples(timer, options);
  if (!timing) return timing;
  timing->executions = timer.executions();
  const auto throttle = std::exchange(timing->machine, context_.machine_state()).throttle;
  timing->machine.throttle = throttle;
  if (!options.energy) return timing;
  const auto energy = timer.measure_energy(*std::ranges::min_element(timing->samples));
  if (!energy) return tl::unexpected(energy.error());
  timing->energy = *energy;
  return timing;
}

cudaError_t CudaPreparedPlan::wait() const {
  return cudaStreamSynchronize(context_.stream.get());
}

}  // namespace tune::cuda
