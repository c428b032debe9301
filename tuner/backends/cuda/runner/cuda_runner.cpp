// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/cuda_runner.hpp"

#include <algorithm>
#include <variant>

#include "tuner/backends/cuda/runner/prepared_plan.hpp"
#include "tuner/plan/step_order.hpp"

namespace tune::cuda {
namespace {

/// Calls `make` until it has memory enough: idle memory and snapshots, which only save time, make room.
template<class Make>
auto with_room(DeviceContext& context, const Make& make) {
  auto made = make();
  while (!made && made.error().reason == "device memory" &&
         (context.pool.free_idle() || context.snapshots.drop_oldest()))
    made = make();
  return made;
}

/// Empty where the plan has no transforms: it then needs no cuFFT.
Result<FourierPlans> transforms_of(const LaunchPlan& plan, DeviceContext& context) {
  const auto steps = all_steps(plan);
  if (std::ranges::none_of(
          steps, [](const PlanStep* step) { return std::holds_alternative<FourierTransform>(*step); }))
    return FourierPlans();
  const auto library = context.cufft();
  if (!library) return tl::unexpected(library.error());
  auto made = with_room(context, [&] { return FourierPlans::make(plan, *library); });
  if (!made) return made;
  if (const auto taken = made->take_work_area(context.pool, context.snapshots); !taken)
    return tl::unexpected(taken.error());
  return made;
}

PreparedZero prepared_zero(const LaunchPlan& plan, const Zero& zero) {
  const auto& buffer = plan.buffer(zero.buffer);
  return {zero, buffer.allocation_bytes(), buffer.layout.offset * element_size(buffer.type)};
}

/// Prepares `steps` of the plan; `launch` is the first of them that launches a kernel, and moves behind the
/// last.
std::vector<PreparedStep> steps_of(const LaunchPlan& plan, const std::vector<PlanStep>& steps,
                                   std::vector<PreparedLaunch>::const_iterator& launch,
                                   const FourierPlans& transforms) {
  std::vector<PreparedStep> prepared;
  for (const auto& step : steps)
    if (const auto* transform = std::get_if<FourierTransform>(&step))
      prepared.push_back(PreparedTransform{*transform, &transforms.find(fourier_shape(plan, *transform))});
    else if (const auto* copy = std::get_if<Copy>(&step))
      prepared.push_back(prepared_copy(plan, *copy));
    else if (const auto* zero = std::get_if<Zero>(&step))
      prepared.push_back(prepared_zero(plan, *zero));
    else if (const auto* host = std::get_if<HostStep>(&step))
      prepared.push_back(PreparedHost{*host, plan.buffers});
    else
      prepared.push_back(*launch++);
  return prepared;
}

std::vector<cudaStream_t> more_streams(const LaunchPlan& plan, DeviceContext& context) {
  const std::size_t count = stream_count(plan) - 1;
  std::vector<cudaStream_t> streams;
  for (const auto& stream : context.more_streams(count)) streams.push_back(stream.get());
  return streams;
}

/// Drops the resources of the launches of the setup, which come first, and of the checks, which come last.
std::vector<KernelResources> of_launches(const LaunchPlan& plan, std::vector<KernelResources> all) {
  const auto launches = [](const std::vector<PlanStep>& steps) {
    return std::ranges::count_if(steps,
                                 [](const PlanStep& step) { return std::holds_alternative<Launch>(step); });
  };
  all.erase(all.begin(), all.begin() + launches(plan.setup));
  all.erase(all.end() - launches(plan.checks), all.end());
  return all;
}

}  // namespace

CudaRunner::CudaRunner(int device, DeviceProperties properties) : context_(device, std::move(properties)) {}

Result<std::shared_ptr<const Module>> CudaRunner::module_of(const Binary& binary) {
  if (last_module_ != nullptr && !binary.hash.empty() && binary.hash == last_hash_) return last_module_;
  last_module_.reset();
  auto module = load_binary(binary);
  if (!module) return module;
  last_hash_ = binary.hash;
  last_module_ = *module;
  return module;
}

Result<LoadedLaunches> CudaRunner::load(const LaunchPlan& plan, const Binary& binary) {
  context_.enter();
  check_steps(plan);
  auto module = module_of(binary);
  if (!module) return tl::unexpected(module.error());
  return load_launches(context_.properties, plan, binary, std::move(*module));
}

Result<std::vector<KernelResources>> CudaRunner::check_resources(const LaunchPlan& plan,
                                                                 const Binary& binary) {
  auto launches = load(plan, binary);
  if (!launches) return tl::unexpected(launches.error());
  return of_launches(plan, std::move(launches->resources));
}

Result<std::unique_ptr<PreparedPlan>> CudaRunner::prepare(const LaunchPlan& plan, const Binary& binary) {
  auto launches = load(plan, binary);
  if (!launches) return tl::unexpected(launches.error());
  context_.checks().load_for(plan.buffers);
  auto buffers = PlanBuffers::take(plan.buffers, context_.pool, context_.host_pool, context_.snapshots);
  if (!buffers) return tl::unexpected(buffers.error());
  const auto address_of = [&](std::string_view name) { return buffers->find(name).place(); };
  auto textures = with_room(context_, [&] {
    return PlanTextures::make(plan.textures(), plan.buffers, address_of, context_.device);
  });
  if (!textures) return tl::unexpected(textures.error());
  auto transforms = transforms_of(plan, context_);
  if (!transforms) return tl::unexpected(transforms.error());
  auto launch = launches->launches.cbegin();
  LaunchSequence setup(steps_of(plan, plan.setup, launch, *transforms), address_of, *textures);
  LaunchSequence sequence(steps_of(plan, plan.launches, launch, *transforms), address_of, *textures,
                          more_streams(plan, context_));
  LaunchSequence checks(steps_of(plan, plan.checks, launch, *transforms), address_of, *textures);
  return std::make_unique<CudaPreparedPlan>(
      context_, std::move(launches->module), std::move(launches->variables), std::move(*buffers),
      std::move(*textures), std::move(*transforms), std::move(setup), std::move(sequence), std::move(checks),
      of_launches(plan, std::move(launches->resources)), plan.graph);
}

}  // namespace tune::cuda
