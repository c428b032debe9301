// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/failure.hpp"
#include "tuner/core/launch_plan.hpp"
#include "tuner/cuda/handles.hpp"
#include "tuner/cuda/memory_pool.hpp"
#include "tuner/cuda/strided_copy.hpp"

namespace tune::cuda {

/// What tells the contents of an input buffer apart. A tensor is known by its place in memory and a digest:
/// of all its bytes where they are few, else of many pieces spread over it, because reading a gigabyte takes
/// as long as sending it. New contents made by another seed are noticed; a few elements changed in place in a
/// large tensor need not be.
struct InputKey {
  std::string name;
  ElementType type = ElementType::f32;
  Layout layout;
  const std::byte* data = nullptr;
  std::size_t size = 0;
  std::string digest;
  friend bool operator==(const InputKey&, const InputKey&) = default;
};

InputKey input_key(const BufferSpec& buffer, const TensorView& tensor);

/// Inputs as they were sent, in the layouts that plans asked for. Plans work on copies, so that a kernel that
/// writes to its input spoils no later plan.
class InputImages {
 public:
  explicit InputImages(MemoryPool& pool) : pool_(pool) {}

  /// The image of that tensor, sent now where it is not there yet; null where there is no room for one.
  const DeviceMemory* get(const BufferSpec& buffer, const TensorView& tensor, cudaStream_t stream);
  /// Gives up the image that was used longest ago; false where there is none.
  bool drop_oldest();
  std::size_t bytes() const;

 private:
  struct Image {
    InputKey key;
    DeviceMemory memory;
  };
  MemoryPool& pool_;
  std::list<Image> images_;  ///< the last used first
};

/// The buffers of one plan, taken from a pool and given back at the end.
class PlanBuffers {
 public:
  /// Failure{resources, "device memory"} where the device has too little.
  static Result<PlanBuffers> take(const std::vector<BufferSpec>& specs, MemoryPool& pool,
                                  InputImages& images);
  PlanBuffers(PlanBuffers&&) = default;
  PlanBuffers& operator=(PlanBuffers&&) = delete;
  ~PlanBuffers();

  /// Enqueues: inputs hold their tensors, every byte around them and of all other buffers is 0xff. Throws
  /// Error where a tensor is missing or is not what the plan describes.
  void fill(const TensorViews& inputs, InputImages& images, cudaStream_t stream);
  /// Enqueues the copy of a logical tensor to `host`, which has room for it.
  void fetch(std::string_view name, std::byte* host, cudaStream_t stream) const;
  /// Throws Error for a name that the plan lacks.
  const BufferSpec& spec(std::string_view name) const;
  /// The address of logical element (0, 0, ...).
  void* address(std::string_view name) const;

 private:
  struct Buffer {
    BufferSpec spec;
    CopyShape shape;
    DeviceMemory memory;
  };
  explicit PlanBuffers(MemoryPool& pool) : pool_(&pool) {}
  const Buffer& find(std::string_view name) const;

  MemoryPool* pool_;
  std::vector<Buffer> buffers_;
};

}  // namespace tune::cuda
