// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tuner/core/failure.hpp"
#include "tuner/core/launch_plan.hpp"
#include "tuner/cuda/device_checks.hpp"
#include "tuner/cuda/handles.hpp"
#include "tuner/cuda/memory_pool.hpp"
#include "tuner/cuda/strided_copy.hpp"
#include "tuner/cuda/tensor_images.hpp"

namespace tune::cuda {

/// Device memory of a plan: zones that nobody may write to, and the buffer between them.
struct PlanBuffer {
  BufferSpec spec;
  CopyShape shape;
  DeviceMemory memory;
  std::uint64_t guard = 0;  ///< bytes before the buffer; those after it reach to `bytes`
  std::uint64_t bytes = 0;  ///< of everything; `memory` may be larger

  /// What an input was filled with: its image, which may have to make room, and its sums.
  std::optional<ImageKey> image = {};
  std::vector<checks::Count> sums = {};

  std::byte* data() const { return memory.data() + guard; }
  /// The address of logical element (0, 0, ...).
  std::byte* first() const { return data() + shape.device_offset; }
  checks::Zone zone_before() const;
  checks::Zone zone_after() const;
};

/// The buffers of one plan, taken from a pool and given back at the end.
class PlanBuffers {
 public:
  /// Failure{resources, "device memory"} where the device has too little.
  static Result<PlanBuffers> take(const std::vector<BufferSpec>& specs, MemoryPool& pool,
                                  TensorImages& images);
  PlanBuffers(PlanBuffers&&) = default;
  PlanBuffers& operator=(PlanBuffers&&) = delete;
  ~PlanBuffers();

  /// Enqueues: inputs hold their tensors, every byte around them is 0xff, every byte of all other buffers is
  /// their initial one, the zones around all buffers hold their pattern. Throws Error where a tensor is
  /// missing or is not what the plan describes.
  void fill(const TensorViews& inputs, TensorImages& images, DeviceChecks& checks, cudaStream_t stream);
  /// Enqueues the copy of a logical tensor to `host`, which has room for it.
  void fetch(std::string_view name, std::byte* host, cudaStream_t stream) const;

  const std::vector<PlanBuffer>& all() const { return buffers_; }
  /// Throws Error for a name that the plan lacks.
  const PlanBuffer& find(std::string_view name) const;

 private:
  explicit PlanBuffers(MemoryPool& pool) : pool_(&pool) {}

  MemoryPool* pool_;
  std::vector<PlanBuffer> buffers_;
};

}  // namespace tune::cuda
