// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/cuda_runner.hpp"

#include <algorithm>
#include <variant>

#include "tuner/backends/cuda/runner/prepared_plan.hpp"
#include "tuner/backends/cuda/runtime/device_query.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
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

std::vector<PlanStream> more_streams(const LaunchPlan& plan, const std::vector<DeviceContext*>& devices) {
  const std::size_t count = stream_count(plan) - 1;
  std::vector<std::uint32_t> device_of(count);
  for (const auto& step : plan.launches)
    if (const auto& order = order_of(step); order.stream > 0) device_of[order.stream - 1] = order.device;
  std::vector<PlanStream> streams;
  for (std::size_t i = 0; i < count; ++i) {
    auto& context = *devices[device_of[i]];
    const CurrentDevice current(context.device);
    streams.push_back({context.more_streams(count)[i].get(), context.device});
  }
  return streams;
}

/// True where a kernel reaches memory of another device.
bool needs_peers(const LaunchPlan& plan) {
  const auto reaches = [&](const Launch* launch) {
    bool any = false;
    for (const auto& argument : launch->arguments)
      each_buffer(argument, [&](const BufferArgument& given) {
        const auto& buffer = plan.buffer(given.buffer);
        any = any || (!buffer.on_host() && buffer.device != launch->order.device);
      });
    return any;
  };
  return std::ranges::any_of(kernel_launches(plan), reaches);
}

/// Lets a device reach the other's memory; false where it cannot.
bool reach(int device, int other) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device, other));
  if (can == 0) return false;
  const CurrentDevice current(device);
  const auto status = cudaDeviceEnablePeerAccess(other, 0);
  ignore(status);
  if (status != cudaErrorPeerAccessAlreadyEnabled) check(status);
  return true;
}

/// Returns the devices of this machine that are equal to this one, from the next one on.
std::vector<int> equal_devices(const DeviceContext& context) {
  std::string reason;
  const int count = device_count(&reason);
  std::vector<int> equal;
  for (int i = 1; i < count; ++i) {
    const int number = (context.device + i) % count;
    const auto other = query_device(number, nullptr);
    if (other.name == context.properties.name && other.global_memory == context.properties.global_memory)
      equal.push_back(number);
  }
  return equal;
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

std::vector<DeviceContext*> CudaRunner::devices_for(const LaunchPlan& plan) {
  const std::size_t count = plan.devices();
  std::vector<DeviceContext*> devices = {&context_};
  if (more_.size() + 1 < count) {
    const auto equal = equal_devices(context_);
    if (equal.size() + 1 < count)
      throw Error(
          format("{} GPUs are to work together, and this machine has {} like device {} ({}): take fewer",
                 count, equal.size() + 1, context_.device, context_.properties.name));
    while (more_.size() + 1 < count) {
      auto properties = query_device(equal[more_.size()], nullptr);
      more_.push_back(std::make_unique<DeviceContext>(equal[more_.size()], std::move(properties)));
      std::vector<const DeviceContext*> earlier = {&context_};
      for (std::size_t i = 0; i + 1 < more_.size(); ++i) earlier.push_back(more_[i].get());
      for (const auto* other : earlier) {
        const bool both =
            reach(other->device, more_.back()->device) && reach(more_.back()->device, other->device);
        all_peers_ = all_peers_ && both;
      }
    }
  }
  for (std::size_t i = 0; i + 1 < count; ++i) devices.push_back(more_[i].get());
  for (auto device = devices.rbegin(); device != devices.rend(); ++device) (*device)->enter();
  return devices;
}

Result<LoadedLaunches> CudaRunner::load(const LaunchPlan& plan, const Binary& binary) {
  check_steps(plan);
  const auto devices = devices_for(plan);
  if (!all_peers_ && needs_peers(plan))
    return fail(
        Phase::resources, "peer access",
        "the GPUs of this machine do not reach each other's memory: take exchange=copy or exchange=host");
  std::vector<int> others;
  for (const auto* device : devices)
    if (device != &context_) others.push_back(device->device);
  auto module = module_of(binary);
  if (!module) return tl::unexpected(module.error());
  return load_launches(context_.properties, plan, binary, std::move(*module), others);
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
  const auto devices = devices_for(plan);
  std::vector<DevicePart> parts;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    auto& context = *devices[i];
    const CurrentDevice current(context.device);
    std::vector<BufferSpec> specs;
    for (const auto& buffer : plan.buffers)
      if (buffer.device == i) specs.push_back(buffer);
    context.checks().load_for(specs);
    auto buffers = PlanBuffers::take(specs, context.pool, context.host_pool, context.snapshots);
    if (!buffers) return tl::unexpected(buffers.error());
    parts.push_back({&context, std::move(*buffers)});
  }
  const auto address_of = [&](std::string_view name) { return find_buffer(parts, name).second->place(); };
  auto textures = with_room(context_, [&] {
    return PlanTextures::make(plan.textures(), plan.buffers, address_of, context_.device);
  });
  if (!textures) return tl::unexpected(textures.error());
  auto transforms = transforms_of(plan, context_);
  if (!transforms) return tl::unexpected(transforms.error());
  auto launch = launches->launches.cbegin();
  LaunchSequence setup(steps_of(plan, plan.setup, launch, *transforms), address_of, *textures);
  LaunchSequence sequence(steps_of(plan, plan.launches, launch, *transforms), address_of, *textures,
                          more_streams(plan, devices));
  LaunchSequence checks(steps_of(plan, plan.checks, launch, *transforms), address_of, *textures);
  return std::make_unique<CudaPreparedPlan>(
      std::move(parts), std::move(launches->module), std::move(launches->variables), std::move(*textures),
      std::move(*transforms), std::move(setup), std::move(sequence), std::move(checks),
      of_launches(plan, std::move(launches->resources)), plan.graph);
}

}  // namespace tune::cuda
