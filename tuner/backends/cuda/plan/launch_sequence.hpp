// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tuner/backends/cuda/plan/fourier_plans.hpp"
#include "tuner/backends/cuda/plan/plan_textures.hpp"
#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/plan/tensor_map_shape.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::cuda {

/// A CUtensorMap: what a kernel's parameter holds.
struct alignas(tensor_map_alignment) EncodedMap {
  std::byte bytes[tensor_map_bytes];
};

/// The map over elements of this type, where logical element (0, 0, ...) of the buffer is at `first`. The
/// driver's function is asked for at run time, so that nothing is linked to libcuda. Throws Error where the
/// driver refuses what check_tensor_maps let pass.
EncodedMap encode(const TensorMapSpec& map, ElementType type, std::byte* first);

/// A kernel of a loaded module with the launch of it that a plan wants.
struct PreparedLaunch {
  Launch launch;
  cudaKernel_t kernel = nullptr;
  std::vector<std::uint64_t> offsets = {};  ///< of each buffer argument, in bytes
  std::vector<ElementType> map_types = {};  ///< of each tensor map's buffer
};

/// What the runtime is told of a launch. The configuration points at the attribute beside it.
struct LaunchSettings {
  LaunchSettings(const Launch& launch, cudaStream_t stream);
  LaunchSettings(const LaunchSettings&) = delete;
  LaunchSettings& operator=(const LaunchSettings&) = delete;

  cudaLaunchAttribute cooperative = {};  ///< all blocks are resident at once and may wait for each other
  cudaLaunchConfig_t config = {};
};

/// Enqueues one launch: `arguments` says where the value of each argument lies; the values are copied.
cudaError_t start(const PreparedLaunch& prepared, void* const* arguments, cudaStream_t stream);

/// A transform with the plan of cuFFT that carries it out.
struct PreparedTransform {
  FourierTransform transform;
  const FourierPlan* plan = nullptr;
};

/// A copy with what the runtime asks of it, in bytes.
struct PreparedCopy {
  Copy copy;
  std::size_t element = 0;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};
PreparedCopy prepared_copy(const LaunchPlan& plan, const Copy& copy);

using PreparedStep = std::variant<PreparedLaunch, PreparedTransform, PreparedCopy>;

/// The steps of a plan on certain memory.
class LaunchSequence {
 public:
  /// `address_of` tells where logical element (0, 0, ...) of a buffer is. The kernels, the plans of cuFFT and
  /// the textures' objects must outlive this, and so must `more_streams`: the plan's stream n + 1 is entry n.
  /// Throws Error for a tensor map that check_tensor_maps refuses.
  LaunchSequence(std::vector<PreparedStep> steps, const PlanTextures::AddressOf& address_of,
                 const PlanTextures& textures, std::vector<cudaStream_t> more_streams = {});
  LaunchSequence(LaunchSequence&&) = default;
  LaunchSequence& operator=(LaunchSequence&&) = default;

  /// Enqueues all steps, in their order: the plan's other streams begin when `stream` has come here, and what
  /// follows on `stream` begins when all of them have ended. cudaErrorUnknown where cuFFT refuses a
  /// transform: `refusal` tells more.
  cudaError_t enqueue(cudaStream_t stream);
  /// What cuFFT said of the step that it refused in the last `enqueue`; empty where it did not.
  const std::string& refusal() const { return refusal_; }
  const std::vector<PreparedStep>& steps() const { return steps_; }
  const std::vector<cudaStream_t>& more_streams() const { return more_streams_; }
  /// Those of all launches, each once.
  std::vector<TextureArgument> textures() const;

 private:
  void prepare_order();
  cudaStream_t stream_of(std::size_t step, cudaStream_t first) const;
  cudaError_t fork(cudaStream_t stream);
  cudaError_t join(cudaStream_t stream);
  cudaError_t carry_out(std::size_t step, cudaStream_t stream);
  cudaError_t transform(const PreparedTransform& prepared, const std::vector<std::uint64_t>& handles,
                        cudaStream_t stream);

  std::vector<PreparedStep> steps_;
  /// Addresses and texture objects among the arguments of each launch, in their order; of a transform input
  /// and output.
  std::vector<std::vector<std::uint64_t>> handles_;
  std::vector<std::vector<EncodedMap>> maps_;  ///< the tensor maps among the arguments of each launch
  std::vector<std::vector<void*>> arguments_;  ///< of each launch: where the values of all arguments are
  std::string refusal_;
  std::vector<cudaStream_t> more_streams_;
  /// What orders streams; all empty for a plan of one stream.
  std::vector<cudaStream_t> used_;                ///< of more_streams_
  std::vector<std::vector<std::size_t>> awaits_;  ///< of each step, steps of other streams
  std::vector<Event> ended_;                      ///< of the steps that others await; null for others
  Event begun_;
  std::vector<Event> joined_;  ///< of each used stream
};

}  // namespace tune::cuda
