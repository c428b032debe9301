// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "tuner/tensor/tensor.hpp"

namespace tune::cuda {

/// Repeats the inner loops `count` times, this far apart in device and host memory, in bytes.
struct CopyLoop {
  std::size_t count = 0;
  std::size_t device_stride = 0;
  std::size_t host_stride = 0;
  friend bool operator==(const CopyLoop&, const CopyLoop&) = default;
};

/// How a dense host tensor and its place in an allocation correspond. Dimensions without gaps are merged: a
/// dense layout has no loops.
struct CopyShape {
  std::size_t width = 0;          ///< bytes without a gap on both sides; 0 for an empty tensor
  std::size_t device_offset = 0;  ///< bytes, of the first element in the allocation
  std::vector<CopyLoop> loops;    ///< innermost first
};

/// Throws Error for a layout that reaches beyond its allocation.
CopyShape copy_shape(const Layout& layout, std::size_t element_size);

/// Enqueue the copy of a tensor between its allocation and dense host memory, with the fewest calls that the
/// runtime's limits on pitches allow.
void upload(std::byte* allocation, const std::byte* host, const CopyShape& shape, cudaStream_t stream);
/// The same from dense memory of the device.
void rearrange(std::byte* allocation, const std::byte* dense, const CopyShape& shape, cudaStream_t stream);
void download(std::byte* host, const std::byte* allocation, const CopyShape& shape, cudaStream_t stream);

}  // namespace tune::cuda
