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

/// A CUtensorMap, as a kernel's parameter holds it.
struct alignas(tensor_map_alignment) EncodedMap {
  std::byte bytes[tensor_map_bytes];
};

/// Encodes a map over elements of this type; logical element (0, 0, ...) of the buffer is at `first`. Finds
/// the driver's function at run time, so that nothing links libcuda. Throws Error where the driver refuses a
/// map that passed check_tensor_maps.
EncodedMap encode(const TensorMapSpec& map, ElementType type, std::byte* first);

/// A launch of a plan with its loaded kernel.
struct PreparedLaunch {
  Launch launch;
  cudaKernel_t kernel = nullptr;
  std::vector<std::uint64_t> offsets = {};  ///< of each address among the arguments, in bytes
  std::vector<ElementType> map_types = {};  ///< of each tensor map's buffer
};

/// A launch in the runtime's terms. The configuration points at the attribute beside it.
struct LaunchSettings {
  LaunchSettings(const Launch& launch, cudaStream_t stream);
  LaunchSettings(const LaunchSettings&) = delete;
  LaunchSettings& operator=(const LaunchSettings&) = delete;

  cudaLaunchAttribute cooperative = {};  ///< all blocks are resident at once and may wait for each other
  cudaLaunchConfig_t config = {};
};

/// Enqueues one launch: `arguments` has the addresses of the argument values, which are copied.
cudaError_t start(const PreparedLaunch& prepared, void* const* arguments, cudaStream_t stream);

/// A transform with the plan of cuFFT that carries it out.
struct PreparedTransform {
  FourierTransform transform;
  const FourierPlan* plan = nullptr;
};

/// A copy with its element size in bytes and its direction.
struct PreparedCopy {
  Copy copy;
  std::size_t element = 0;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};
PreparedCopy prepared_copy(const LaunchPlan& plan, const Copy& copy);

/// A buffer that is set to zero, with its size.
struct PreparedZero {
  Zero zero;
  std::uint64_t bytes = 0;
  std::uint64_t before = 0;  ///< bytes of the allocation before element (0, 0, ...)
};

/// Code of the host with the buffers that it may ask for.
struct PreparedHost {
  HostStep step;
  std::vector<BufferSpec> buffers;
};

using PreparedStep =
    std::variant<PreparedLaunch, PreparedTransform, PreparedCopy, PreparedZero, PreparedHost>;

/// A stream of a plan, and its device in the runtime's numbers.
struct PlanStream {
  cudaStream_t stream = nullptr;
  int device = 0;
};

/// The steps of a plan on given memory.
class LaunchSequence {
 public:
  /// `address_of` returns the address of logical element (0, 0, ...) of a buffer. The kernels, the plans of
  /// cuFFT and the textures' objects must outlive this, and so must `more_streams`: the plan's stream n + 1
  /// is entry n. The current device must be that of the plan's stream 0, now and at every call. Throws Error
  /// for a tensor map that the driver refuses.
  LaunchSequence(std::vector<PreparedStep> steps, const PlanTextures::AddressOf& address_of,
                 const PlanTextures& textures, std::vector<PlanStream> more_streams = {});
  LaunchSequence(LaunchSequence&&) = default;
  LaunchSequence& operator=(LaunchSequence&&) = default;

  /// Enqueues all steps in their order. The plan's other streams begin after the earlier work of `stream`,
  /// and its later work waits for all of them. Code of the host runs meanwhile: it waits for what it reads.
  /// Returns cudaErrorUnknown where `refusal` has the reason.
  cudaError_t enqueue(cudaStream_t stream);
  /// Returns why cuFFT refused a step of the last `enqueue`, or that code of the host goes back for ever;
  /// empty where neither is so.
  const std::string& refusal() const { return refusal_; }
  const std::vector<PreparedStep>& steps() const { return steps_; }
  const std::vector<PlanStream>& more_streams() const { return more_streams_; }
  /// Returns the textures of all launches, each once.
  std::vector<TextureArgument> textures() const;

 private:
  void prepare_order();
  PlanStream stream_of(std::size_t step, cudaStream_t first) const;
  /// Enqueues a step with its waits, on its device.
  cudaError_t enqueue_step(std::size_t step, cudaStream_t first);
  cudaError_t fork(cudaStream_t stream);
  cudaError_t join(cudaStream_t stream);
  cudaError_t carry_out(std::size_t step, cudaStream_t stream);
  /// Sets `next` to the step that follows.
  cudaError_t run_host(std::size_t step, std::size_t& next, cudaStream_t stream);
  cudaError_t transform(const PreparedTransform& prepared, const std::vector<std::uint64_t>& handles,
                        cudaStream_t stream);

  std::vector<PreparedStep> steps_;
  /// For each launch, the addresses and texture objects among its arguments, in their order; for a transform
  /// or copy, its two sides; for code of the host, its buffers.
  std::vector<std::vector<std::uint64_t>> handles_;
  std::vector<std::vector<EncodedMap>> maps_;  ///< the tensor maps among the arguments of each launch
  std::vector<std::vector<void*>> arguments_;  ///< of each launch: addresses of all argument values
  std::string refusal_;
  std::uint64_t rounds_ = 0;  ///< of the last `enqueue`: how often code of the host went back
  std::vector<PlanStream> more_streams_;
  int device_ = 0;                ///< of stream 0
  bool several_devices_ = false;  ///< enqueuing changes the current device
  /// The order between streams; all empty for a plan of one stream.
  std::vector<PlanStream> used_;                  ///< of more_streams_
  std::vector<std::vector<std::size_t>> awaits_;  ///< of each step, steps of other streams
  std::vector<Event> ended_;                      ///< of the steps that others await; null for others
  Event begun_;
  std::vector<Event> joined_;  ///< of each used stream
};

}  // namespace tune::cuda
