// SPDX-License-Identifier: Apache-2.0
#include "tuner/cuda/prepared_plan.hpp"

#include <algorithm>
#include <variant>

#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"
#include "tuner/cuda/plan_checks.hpp"

namespace tune::cuda {
namespace {

/// Samples between two waits: the queue of a stream holds about a thousand launches.
constexpr std::size_t chunk = 64;

dim3 to_cuda(const Dim3& extent) {
  return {extent.x, extent.y, extent.z};
}

/// The runtime takes arguments by the addresses of their values; these lie in `prepared` itself.
std::vector<void*> argument_pointers(PreparedLaunch& prepared) {
  std::vector<void*> pointers;
  auto address = prepared.addresses.begin();
  for (auto& argument : prepared.launch.arguments) {
    if (auto* scalar = std::get_if<ScalarArgument>(&argument))
      pointers.push_back(std::visit([](auto& value) { return static_cast<void*>(&value); }, *scalar));
    else
      pointers.push_back(&*address++);
  }
  return pointers;
}

cudaError_t start(const PreparedLaunch& prepared, std::vector<void*>& arguments, cudaStream_t stream) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = to_cuda(prepared.launch.grid);
  config.blockDim = to_cuda(prepared.launch.block);
  config.dynamicSmemBytes = prepared.launch.dynamic_shared_memory;
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = prepared.launch.cooperative ? 1 : 0;
  return cudaLaunchKernelExC(&config, as_function(prepared.kernel), arguments.data());
}

}  // namespace

CudaPreparedPlan::CudaPreparedPlan(DeviceContext& context, Module module, PlanBuffers buffers,
                                   std::vector<PreparedLaunch> launches,
                                   std::vector<KernelResources> resources)
    : context_(context),
      module_(std::move(module)),
      buffers_(std::move(buffers)),
      launches_(std::move(launches)),
      resources_(std::move(resources)) {
  for (auto& launch : launches_) arguments_.push_back(argument_pointers(launch));
}

CudaPreparedPlan::~CudaPreparedPlan() {
  // Nothing may run any more when the code is unloaded and the memory is given to the next plan.
  ignore(cudaStreamSynchronize(context_.stream.get()));
}

Result<void> CudaPreparedPlan::run_checked(const TensorViews& inputs) {
  context_.enter();
  buffers_.fill(inputs, context_.images, context_.checks(), context_.stream.get());
  check(wait());
  filled_ = true;
  auto status = enqueue();
  if (status == cudaSuccess) status = wait();
  if (status != cudaSuccess) return tl::unexpected(context_.failure(status));
  return {};
}

Result<TensorView> CudaPreparedPlan::fetch(std::string_view buffer) {
  context_.enter();
  const auto& spec = buffers_.find(buffer).spec;
  const auto size = element_count(spec.layout.extents) * size_of(spec.type);
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
                                             const Tolerance& tolerance) {
  context_.enter();
  const auto found = compare_on_device(buffers_.find(buffer), reference, tolerance, context_);
  if (!found) return tl::unexpected(found.error());
  if (*found) return **found;
  const auto output = fetch(buffer);
  if (!output) return tl::unexpected(output.error());
  return tune::compare(*output, reference, tolerance);
}

Result<Timing> CudaPreparedPlan::measure(const MeasureOptions& options) {
  context_.enter();
  if (!filled_) throw Error("a plan can be measured after a checked run only: its inputs are not filled yet");
  const auto failed = [&](cudaError_t status) { return tl::unexpected(context_.failure(status)); };
  for (int i = 0; i < options.warmup; ++i)
    if (const auto status = enqueue(); status != cudaSuccess) return failed(status);

  Timing timing;
  auto& seconds = timing.samples;
  auto left = static_cast<std::size_t>(std::max(options.least_samples, 0));
  while (left > 0) {
    const auto samples = std::min(left, chunk);
    left -= samples;
    auto status = enqueue_timed(samples, options.flush_cache);
    if (status == cudaSuccess) status = wait();
    if (status != cudaSuccess) return failed(status);
    const auto& events = context_.events(2 * samples);
    for (std::size_t i = 0; i < samples; ++i) {
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, events[2 * i].get(), events[2 * i + 1].get()));
      seconds.push_back(static_cast<double>(milliseconds) * 1e-3);
    }
  }
  return timing;
}

cudaError_t CudaPreparedPlan::enqueue() {
  for (std::size_t i = 0; i < launches_.size(); ++i)
    if (const auto status = start(launches_[i], arguments_[i], context_.stream.get()); status != cudaSuccess)
      return status;
  return cudaSuccess;
}

/// All samples are enqueued before anything waits: while the device flushes its cache for one, the host is
/// already ahead with the next, and the gap between an event and a launch stays out of the time.
cudaError_t CudaPreparedPlan::enqueue_timed(std::size_t samples, bool flush_cache) {
  const auto& events = context_.events(2 * samples);
  for (std::size_t i = 0; i < samples; ++i) {
    auto status = flush_cache ? context_.flush_l2() : cudaSuccess;
    if (status == cudaSuccess) status = cudaEventRecord(events[2 * i].get(), context_.stream.get());
    if (status == cudaSuccess) status = enqueue();
    if (status == cudaSuccess) status = cudaEventRecord(events[2 * i + 1].get(), context_.stream.get());
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

cudaError_t CudaPreparedPlan::wait() const {
  return cudaStreamSynchronize(context_.stream.get());
}

}  // namespace tune::cuda
