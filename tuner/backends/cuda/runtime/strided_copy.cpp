// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runtime/strided_copy.hpp"

#include <limits>
#include <span>

#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

/// cudaDeviceProp::memPitch of all devices: pitches of two- and three-dimensional copies have 31 bits.
constexpr std::size_t largest_pitch = std::numeric_limits<std::int32_t>::max();

/// One side of a copy, with its strides of the loops.
struct StridedSide {
  std::byte* data;
  std::size_t CopyLoop::*stride;
};

StridedSide at(const StridedSide& side, const CopyLoop& loop, std::size_t i) {
  return {side.data + i * (loop.*side.stride), side.stride};
}

/// A three-dimensional copy needs planes that lie whole pitches apart.
bool fits_volume(const StridedSide& side, const CopyLoop& rows, const CopyLoop& planes) {
  const auto pitch = rows.*side.stride;
  const auto plane = planes.*side.stride;
  return pitch <= largest_pitch && plane % pitch == 0 && plane / pitch >= rows.count &&
         plane / pitch <= largest_pitch;
}

cudaPitchedPtr pitched(const StridedSide& side, std::size_t width, const CopyLoop& rows,
                       const CopyLoop& planes) {
  const auto pitch = rows.*side.stride;
  return {side.data, pitch, width, (planes.*side.stride) / pitch};
}

void copy(const StridedSide& to, const StridedSide& from, std::size_t width, std::span<const CopyLoop> loops,
          cudaMemcpyKind kind, cudaStream_t stream) {
  if (loops.empty()) {
    check(cudaMemcpyAsync(to.data, from.data, width, kind, stream));
    return;
  }
  const auto& outer = loops.back();
  if (loops.size() == 1 && outer.*to.stride <= largest_pitch && outer.*from.stride <= largest_pitch) {
    check(cudaMemcpy2DAsync(to.data, outer.*to.stride, from.data, outer.*from.stride, width, outer.count,
                            kind, stream));
    return;
  }
  if (loops.size() == 2 && fits_volume(to, loops[0], outer) && fits_volume(from, loops[0], outer)) {
    cudaMemcpy3DParms volume{};
    volume.srcPtr = pitched(from, width, loops[0], outer);
    volume.dstPtr = pitched(to, width, loops[0], outer);
    volume.extent = {width, loops[0].count, outer.count};
    volume.kind = kind;
    check(cudaMemcpy3DAsync(&volume, stream));
    return;
  }
  for (std::size_t i = 0; i < outer.count; ++i)
    copy(at(to, outer, i), at(from, outer, i), width, loops.first(loops.size() - 1), kind, stream);
}

void check_fits(const Layout& layout) {
  std::uint64_t last = layout.offset;
  for (std::size_t i = 0; i < layout.extents.size(); ++i) last += (layout.extents[i] - 1) * layout.strides[i];
  if (last >= layout.allocation)
    throw Error(
        format("a layout reaches element {} of an allocation of {} elements", last, layout.allocation));
}

}  // namespace

CopyShape copy_shape(const Layout& layout, std::size_t element_size) {
  if (layout.strides.size() != layout.extents.size())
    throw Error(
        format("a layout has {} strides for {} extents", layout.strides.size(), layout.extents.size()));
  CopyShape shape;
  if (element_count(layout.extents) == 0) return shape;
  check_fits(layout);
  shape.width = element_size;
  shape.device_offset = layout.offset * element_size;
  std::size_t host_stride = element_size;
  for (std::size_t i = 0; i < layout.extents.size(); ++i) {
    const CopyLoop loop{layout.extents[i], layout.strides[i] * element_size, host_stride};
    host_stride *= loop.count;
    if (loop.count == 1) continue;
    if (shape.loops.empty() && loop.device_stride == shape.width) {
      shape.width *= loop.count;
    } else if (!shape.loops.empty() &&
               loop.device_stride == shape.loops.back().device_stride * shape.loops.back().count) {
      shape.loops.back().count *= loop.count;
    } else {
      shape.loops.push_back(loop);
    }
  }
  return shape;
}

namespace {

void from_dense(std::byte* allocation, const std::byte* from, const CopyShape& shape, cudaMemcpyKind kind,
                cudaStream_t stream) {
  if (shape.width == 0) return;
  const StridedSide device{allocation + shape.device_offset, &CopyLoop::device_stride};
  const StridedSide dense{const_cast<std::byte*>(from), &CopyLoop::host_stride};  // only read from
  copy(device, dense, shape.width, shape.loops, kind, stream);
}

}  // namespace

void upload(std::byte* allocation, const std::byte* host, const CopyShape& shape, cudaStream_t stream) {
  from_dense(allocation, host, shape, cudaMemcpyHostToDevice, stream);
}

void rearrange(std::byte* allocation, const std::byte* dense, const CopyShape& shape, cudaStream_t stream) {
  from_dense(allocation, dense, shape, cudaMemcpyDeviceToDevice, stream);
}

void download(std::byte* host, const std::byte* allocation, const CopyShape& shape, cudaStream_t stream) {
  if (shape.width == 0) return;
  const StridedSide device{const_cast<std::byte*>(allocation) + shape.device_offset,
                           &CopyLoop::device_stride};
  const StridedSide dense{host, &CopyLoop::host_stride};
  copy(dense, device, shape.width, shape.loops, cudaMemcpyDeviceToHost, stream);
}

}  // namespace tune::cuda
