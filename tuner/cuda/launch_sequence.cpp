// SPDX-License-Identifier: Apache-2.0
#include "tuner/cuda/launch_sequence.hpp"

#include <variant>

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

}  // namespace

LaunchSequence::LaunchSequence(std::vector<PreparedLaunch> launches,
                               const PlanTextures::AddressOf& address_of, const PlanTextures& textures)
    : launches_(std::move(launches)), handles_(launches_.size()) {
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    for (const auto& argument : launches_[i].launch.arguments)
      if (const auto* buffer = std::get_if<BufferArgument>(&argument))
        handles_[i].push_back(reinterpret_cast<std::uint64_t>(address_of(buffer->buffer)));
      else if (const auto* texture = std::get_if<TextureArgument>(&argument))
        handles_[i].push_back(textures.object(*texture));
    arguments_.push_back(argument_pointers(launches_[i].launch, handles_[i]));
  }
}

std::vector<TextureArgument> LaunchSequence::textures() const {
  std::vector<TextureArgument> all;
  for (const auto& prepared : launches_) add_textures(prepared.launch, all);
  return all;
}

cudaError_t LaunchSequence::enqueue(cudaStream_t stream) {
  for (std::size_t i = 0; i < launches_.size(); ++i)
    if (const auto status = start(launches_[i], arguments_[i], stream); status != cudaSuccess) return status;
  return cudaSuccess;
}

}  // namespace tune::cuda
