// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/load_launches.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "tuner/backends/cuda/plan/kernel_limits.hpp"
#include "tuner/backends/cuda/plan/kernel_parameters.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/argument_sizes.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune::cuda {
namespace {

tl::unexpected<Failure> not_loaded(cudaError_t status, const std::string& what) {
  ignore(status);
  return fail(Phase::resources, "load", format("{}: {}", what, describe(status)));
}

/// Asks the runtime for the sizes of a kernel's parameters, up to an error beyond the last one. Nothing where
/// the driver does not report them.
std::optional<std::vector<std::size_t>> ask_parameter_sizes(cudaKernel_t kernel) {
  std::vector<std::size_t> sizes;
  std::size_t offset = 0;
  std::size_t size = 0;
  auto status = cudaFuncGetParamInfo(as_function(kernel), 0, &offset, &size);
  for (; status == cudaSuccess;
       status = cudaFuncGetParamInfo(as_function(kernel), sizes.size(), &offset, &size))
    sizes.push_back(size);
  ignore(status);
  if (status != cudaErrorInvalidValue) return std::nullopt;
  return sizes;
}

void check_arguments(const Launch& launch, const Binary& binary, cudaKernel_t kernel) {
  auto sizes = parameter_sizes(binary.image, binary.symbols.at(launch.entry));
  // An empty list may also mean that the cubin has the sizes elsewhere.
  if (!sizes || (sizes->empty() && !launch.arguments.empty())) sizes = ask_parameter_sizes(kernel);
  if (!sizes) return;
  if (const std::string unfit = tune::unfit_arguments(launch, *sizes); !unfit.empty()) throw Error(unfit);
}

Result<cudaKernel_t> find(const Launch& launch, const Binary& binary, const Module& module) {
  const auto symbol = binary.symbols.find(launch.entry);
  if (symbol == binary.symbols.end())
    throw Error(format("the binary has no kernel `{}`: name it among the entries to compile", launch.entry));
  cudaKernel_t kernel = nullptr;
  if (const auto status = find_kernel(kernel, module, symbol->second); status != cudaSuccess)
    return not_loaded(status, format("kernel `{}`", launch.entry));
  return kernel;
}

/// Returns what the loaded kernel takes, with the compiler's figures for spills, which the runtime lacks.
Result<KernelResources> resources_of(const Launch& launch, const Binary& binary, cudaKernel_t kernel) {
  cudaFuncAttributes attributes{};
  if (const auto status = cudaFuncGetAttributes(&attributes, as_function(kernel)); status != cudaSuccess)
    return not_loaded(status, format("kernel `{}`", launch.entry));
  KernelResources resources;
  if (const auto compiled = binary.resources.find(launch.entry); compiled != binary.resources.end())
    resources = compiled->second;
  resources.registers = attributes.numRegs;
  resources.local_bytes = static_cast<int>(attributes.localSizeBytes);
  resources.static_shared_memory = static_cast<int>(attributes.sharedSizeBytes);
  resources.dynamic_shared_memory = static_cast<int>(launch.dynamic_shared_memory);
  resources.max_threads = attributes.maxThreadsPerBlock;
  resources.threads = static_cast<int>(launch.block.count());
  return resources;
}

void add_occupancy(KernelResources& resources, const DeviceProperties& device, cudaKernel_t kernel) {
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &resources.blocks_per_multiprocessor, as_function(kernel), resources.threads,
      static_cast<std::size_t>(resources.dynamic_shared_memory)));
  const int warps = (resources.threads + device.warp_size - 1) / device.warp_size;
  resources.occupancy = static_cast<double>(resources.blocks_per_multiprocessor) * warps * device.warp_size /
                        device.max_threads_per_multiprocessor;
  resources.limiter = occupancy(device, {resources.threads, resources.registers,
                                         resources.static_shared_memory, resources.dynamic_shared_memory})
                          .limiter;
}

std::vector<std::uint64_t> offsets_of(const LaunchPlan& plan, const Launch& launch) {
  std::vector<std::uint64_t> offsets;
  for (const auto& argument : launch.arguments)
    each_buffer(argument, [&](const BufferArgument& given) {
      offsets.push_back(given.offset > 0 ? given.offset * element_size(plan.buffer(given.buffer).type) : 0);
    });
  return offsets;
}

std::vector<ElementType> map_types_of(const LaunchPlan& plan, const Launch& launch) {
  std::vector<ElementType> types;
  for (const auto& argument : launch.arguments)
    if (const auto* map = std::get_if<TensorMapArgument>(&argument))
      types.push_back(plan.buffer(map->buffer).type);
  return types;
}

/// The opt-in belongs to the kernel and outlives the launch: all launches get the largest of the plan.
void opt_in(const LaunchPlan& plan, const std::string& entry, cudaKernel_t kernel) {
  std::uint64_t max = 0;
  for (const auto* launch : kernel_launches(plan))
    if (launch->entry == entry) max = std::max(max, launch->dynamic_shared_memory);
  if (max > 0)
    check(cudaFuncSetAttribute(as_function(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(max)));
}

}  // namespace

Result<std::shared_ptr<const Module>> load_binary(const Binary& binary) {
  auto module = std::make_shared<Module>();
  if (const auto status = load_module(*module, binary.image); status != cudaSuccess)
    return not_loaded(status, "the binary");
  return module;
}

Result<LoadedLaunches> load_launches(const DeviceProperties& device, const LaunchPlan& plan,
                                     const Binary& binary, std::shared_ptr<const Module> module,
                                     const std::vector<int>& others) {
  if (auto right = check_tensor_maps(device, plan); !right) return tl::unexpected(right.error());
  LoadedLaunches loaded{std::move(module)};
  auto& [code, launches, resources, variables] = loaded;
  variables = variables_of(plan, binary);
  // Their extents may follow parameters.
  if (const std::string unfit = unfit_variables(plan, binary); !unfit.empty())
    return fail(Phase::launch, "arguments", unfit);
  for (const auto* step : kernel_launches(plan)) {
    const auto& launch = *step;
    const auto kernel = find(launch, binary, *code);
    if (!kernel) return tl::unexpected(kernel.error());
    check_arguments(launch, binary, *kernel);
    auto needs = resources_of(launch, binary, *kernel);
    if (!needs) return tl::unexpected(needs.error());
    if (auto fits = check_launch(device, *needs, launch); !fits) return tl::unexpected(fits.error());
    launches.push_back({launch, *kernel, offsets_of(plan, launch), map_types_of(plan, launch)});
    resources.push_back(std::move(*needs));
  }
  for (std::size_t i = 0; i < launches.size(); ++i) {
    opt_in(plan, launches[i].launch.entry, launches[i].kernel);
    for (const int other : others) {
      const CurrentDevice current(other);
      opt_in(plan, launches[i].launch.entry, launches[i].kernel);
    }
    add_occupancy(resources[i], device, launches[i].kernel);
    if (auto fits = check_residency(device, resources[i], launches[i].launch); !fits)
      return tl::unexpected(fits.error());
  }
  return loaded;
}

}  // namespace tune::cuda
