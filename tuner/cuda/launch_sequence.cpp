// SPDX-License-Identifier: Apache-2.0
#include "tuner/cuda/launch_sequence.hpp"

#include "tuner/core/format.hpp"

namespace tune::cuda {
namespace {

dim3 to_cuda(const Dim3& extent) {
  return {extent.x, extent.y, extent.z};
}

/// The runtime takes arguments by the addresses of their values; these lie in `launch` and `handles`.
std::vector<void*> argument_pointers(Launch& launch, std::vector<std::uint64_t>& handles) {
  std::vector<void*> pointers;
  auto handle = handles.begin();
  for (auto& argument : launch.arguments) {
    if (auto* scalar = std::get_if<ScalarArgument>(&argument))
      pointers.push_back(std::visit([](auto& value) { return static_cast<void*>(&value); }, *scalar));
    else
      pointers.push_back(&*handle++);
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
  return cudaLaunchKernelExC(&config, static_cast<const void*>(prepared.kernel), arguments.data());
}

std::vector<std::uint64_t> handles_of(const Launch& launch, const PlanTextures::AddressOf& address_of,
                                      const PlanTextures& textures) {
  std::vector<std::uint64_t> handles;
  for (const auto& argument : launch.arguments)
    if (const auto* buffer = std::get_if<BufferArgument>(&argument))
      handles.push_back(reinterpret_cast<std::uint64_t>(address_of(buffer->buffer)));
    else if (const auto* texture = std::get_if<TextureArgument>(&argument))
      handles.push_back(textures.object(*texture));
  return handles;
}

}  // namespace

LaunchSequence::LaunchSequence(std::vector<PreparedStep> steps, const PlanTextures::AddressOf& address_of,
                               const PlanTextures& textures)
    : steps_(std::move(steps)), handles_(steps_.size()), arguments_(steps_.size()) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (auto* prepared = std::get_if<PreparedLaunch>(&steps_[i])) {
      handles_[i] = handles_of(prepared->launch, address_of, textures);
      arguments_[i] = argument_pointers(prepared->launch, handles_[i]);
    } else {
      const auto& transform = std::get<PreparedTransform>(steps_[i]).transform;
      for (const auto& buffer : {transform.input, transform.output})
        handles_[i].push_back(reinterpret_cast<std::uint64_t>(address_of(buffer)));
    }
  }
}

std::vector<TextureArgument> LaunchSequence::textures() const {
  std::vector<TextureArgument> all;
  for (const auto& step : steps_)
    if (const auto* prepared = std::get_if<PreparedLaunch>(&step)) add_textures(prepared->launch, all);
  return all;
}

cudaError_t LaunchSequence::enqueue(cudaStream_t stream) {
  auto status = cudaSuccess;
  for (std::size_t i = 0; i < steps_.size() && status == cudaSuccess; ++i) {
    const auto* launch = std::get_if<PreparedLaunch>(&steps_[i]);
    status = launch != nullptr ? start(*launch, arguments_[i], stream)
                               : transform(std::get<PreparedTransform>(steps_[i]), handles_[i], stream);
  }
  return status;
}

cudaError_t LaunchSequence::transform(const PreparedTransform& prepared,
                                      const std::vector<std::uint64_t>& handles, cudaStream_t stream) {
  const int status = prepared.plan->enqueue(reinterpret_cast<std::byte*>(handles[0]),
                                            reinterpret_cast<std::byte*>(handles[1]), stream);
  if (status == cufft_success) return cudaSuccess;
  refusal_ = format("{}: {}", name_of(prepared.transform), cufft_status_text(status));
  return cudaErrorUnknown;
}

}  // namespace tune::cuda
