// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tuner/core/launch_plan.hpp"
#include "tuner/cuda/fourier_plans.hpp"
#include "tuner/cuda/plan_textures.hpp"

namespace tune::cuda {

/// A kernel of a loaded module with the launch of it that a plan wants.
struct PreparedLaunch {
  Launch launch;
  cudaKernel_t kernel = nullptr;
};

/// A transform with the plan of cuFFT that carries it out.
struct PreparedTransform {
  FourierTransform transform;
  const FourierPlan* plan = nullptr;
};

using PreparedStep = std::variant<PreparedLaunch, PreparedTransform>;

/// The launches and transforms of a plan on certain memory.
class LaunchSequence {
 public:
  /// `address_of` tells where logical element (0, 0, ...) of a buffer is. The kernels, the plans of cuFFT and
  /// the textures' objects must outlive this.
  LaunchSequence(std::vector<PreparedStep> steps, const PlanTextures::AddressOf& address_of,
                 const PlanTextures& textures);
  LaunchSequence(LaunchSequence&&) = default;
  LaunchSequence& operator=(LaunchSequence&&) = default;

  /// Enqueues all steps, in their order. cudaErrorUnknown where cuFFT refuses a transform: `refusal` tells
  /// more.
  cudaError_t enqueue(cudaStream_t stream);
  /// What cuFFT said of the last step that it refused; empty where it never did.
  const std::string& refusal() const { return refusal_; }
  const std::vector<PreparedStep>& steps() const { return steps_; }
  /// Those of all launches, each once.
  std::vector<TextureArgument> textures() const;

 private:
  cudaError_t transform(const PreparedTransform& prepared, const std::vector<std::uint64_t>& handles,
                        cudaStream_t stream);

  std::vector<PreparedStep> steps_;
  /// Addresses and texture objects among the arguments of each launch, in their order; of a transform input
  /// and output.
  std::vector<std::vector<std::uint64_t>> handles_;
  std::vector<std::vector<void*>> arguments_;  ///< of each launch: where the values of all arguments are
  std::string refusal_;
};

}  // namespace tune::cuda
