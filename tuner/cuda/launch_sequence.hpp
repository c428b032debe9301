// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "tuner/core/launch_plan.hpp"
#include "tuner/cuda/plan_textures.hpp"

namespace tune::cuda {

/// A kernel of a loaded module with the launch of it that a plan wants.
struct PreparedLaunch {
  Launch launch;
  cudaKernel_t kernel = nullptr;
};

/// The launches of a plan on certain memory.
class LaunchSequence {
 public:
  /// `address_of` tells where logical element (0, 0, ...) of a buffer is. The kernels, and the textures'
  /// objects, must outlive this.
  LaunchSequence(std::vector<PreparedLaunch> launches, const PlanTextures::AddressOf& address_of,
                 const PlanTextures& textures);
  LaunchSequence(LaunchSequence&&) = default;
  LaunchSequence& operator=(LaunchSequence&&) = default;

  /// Enqueues all launches, in their order.
  cudaError_t enqueue(cudaStream_t stream);
  const std::vector<PreparedLaunch>& launches() const { return launches_; }
  /// Those of all launches, each once.
  std::vector<TextureArgument> textures() const;

 private:
  std::vector<PreparedLaunch> launches_;
  /// Addresses and texture objects among the arguments of each launch, in their order.
  std::vector<std::vector<std::uint64_t>> handles_;
  std::vector<std::vector<void*>> arguments_;  ///< of each launch: where the values of all arguments are
};

}  // namespace tune::cuda
