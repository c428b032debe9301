// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/plan/texture_shape.hpp"

namespace tune::cuda {

/// Owns a texture object. Move-only.
class TextureObject {
 public:
  TextureObject() = default;
  explicit TextureObject(cudaTextureObject_t object) noexcept : object_(object) {}
  TextureObject(TextureObject&& other) noexcept : object_(std::exchange(other.object_, 0)) {}
  TextureObject& operator=(TextureObject&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~TextureObject() {
    if (object_ != 0) ignore(cudaDestroyTextureObject(object_));
  }
  cudaTextureObject_t get() const noexcept { return object_; }

 private:
  cudaTextureObject_t object_ = 0;  ///< 0: none
};

using ArrayMemory = Handle<cudaArray_t, &cudaFreeArray>;

/// Returns the limits of a device's textures; for linear memory the default, because that limit depends on
/// the texels.
TextureLimits texture_limits(int device);

/// The texture objects of a plan's launches on given memory, and the arrays that some of them read. The
/// memory must outlive this, and kernels that use the objects must have ended before.
class PlanTextures {
 public:
  /// Returns the address of logical element (0, 0, ...) of a buffer.
  using AddressOf = std::function<std::byte*(std::string_view buffer)>;
  PlanTextures() = default;
  /// Failure{resources}: `texture` where the device has no such texture, `device memory` where it has too
  /// little for an array.
  static Result<PlanTextures> make(const std::vector<TextureArgument>& textures,
                                   const std::vector<BufferSpec>& buffers, const AddressOf& address_of,
                                   int device);

  /// Enqueues copies of the buffers' contents into the arrays.
  cudaError_t fill(cudaStream_t stream) const;
  /// Throws Error for a texture that is not part of the plan.
  cudaTextureObject_t object(const TextureArgument& argument) const;

 private:
  struct Made {
    TextureArgument argument;
    TextureShape shape;
    std::byte* first = nullptr;
    ArrayMemory array;  ///< before the object: freed after it
    TextureObject object;
  };
  std::vector<Made> textures_;
};

}  // namespace tune::cuda
