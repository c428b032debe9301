// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/tensor_map_shape.hpp"

#include <bit>
#include <string>
#include <variant>

#include "tuner/base/format.hpp"

namespace tune {
namespace {

// The limits of cuTensorMapEncodeTiled.
constexpr std::uint64_t max_rank = 5, alignment = 16, max_box = 256;
constexpr std::uint64_t max_extent = std::uint64_t{1} << 32, max_stride = std::uint64_t{1} << 40;

std::uint64_t row_limit(MapSwizzle swizzle) {
  return swizzle == MapSwizzle::bytes_32 ? 32 : swizzle == MapSwizzle::bytes_64 ? 64 : 128;
}

std::string wrong_lists(const TensorMapSpec& map) {
  const std::size_t rank = map.extents.size();
  if (rank < 1 || rank > max_rank) return format("it has {} dimensions, take 1 to {}", rank, max_rank);
  if (map.strides.size() != rank - 1 || map.box.size() != rank)
    return format("{} dimensions need {} strides and a box of {}, not {} and {}", rank, rank - 1, rank,
                  map.strides.size(), map.box.size());
  for (std::size_t i = 0; i < rank; ++i)
    if (map.extents[i] == 0 || map.extents[i] > max_extent)
      return format("extent {} is {}, take 1 to 2^32", i, map.extents[i]);
  return {};
}

std::string wrong_box(const TensorMapSpec& map, std::uint64_t element) {
  for (std::size_t i = 0; i < map.box.size(); ++i)
    if (map.box[i] == 0 || map.box[i] > max_box)
      return format("extent {} of the box is {}: take 1 to {}, in several copies if need be", i, map.box[i],
                    max_box);
  const std::uint64_t row = map.box[0] * element;
  if (row % alignment != 0)
    return format("rows of the box have {} bytes: make them a multiple of {}", row, alignment);
  if (map.swizzle != MapSwizzle::none && row > row_limit(map.swizzle))
    return format("rows of the box have {} bytes: with this swizzle take {} at most", row,
                  row_limit(map.swizzle));
  return {};
}

std::string wrong_place(const BufferSpec& buffer, const TensorMapSpec& map, std::uint64_t element) {
  const std::uint64_t begin = (buffer.layout.offset + map.offset) * element_size(buffer.type);
  if (begin % alignment != 0)
    return format("its first element lies {} bytes into the allocation: make that a multiple of {}", begin,
                  alignment);
  std::uint64_t last = begin + (map.extents[0] - 1) * element;
  for (std::size_t i = 0; i < map.strides.size(); ++i) {
    if (map.strides[i] % alignment != 0)
      return format("stride {} is {} bytes: pad rows so that it is a multiple of {}", i + 1, map.strides[i],
                    alignment);
    if (map.strides[i] >= max_stride)
      return format("stride {} is {} bytes: it has to be below 2^40", i + 1, map.strides[i]);
    last += (map.extents[i + 1] - 1) * map.strides[i];
  }
  if (last + element > buffer.allocation_bytes())
    return format("it ends at byte {} of {}: make the extents smaller, or the buffer larger", last + element,
                  buffer.allocation_bytes());
  return {};
}

}  // namespace

bool has_tensor_maps(const DeviceProperties& device) {
  return device.compute_major >= 9 || device.compute_major == 0;
}

TensorMapSpec map_of(const BufferSpec& buffer, std::vector<std::uint32_t> box) {
  TensorMapSpec map;
  map.extents = buffer.layout.extents;
  for (std::size_t i = 1; i < buffer.layout.strides.size(); ++i)
    map.strides.push_back(buffer.layout.strides[i] * element_size(buffer.type));
  map.box = std::move(box);
  return map;
}

std::uint64_t map_element_size(ElementType type, const TensorMapSpec& map) {
  return element_size(type) * map.group;
}

std::uint64_t box_bytes(const BufferSpec& buffer, const TensorMapSpec& map) {
  std::uint64_t bytes = map_element_size(buffer.type, map);
  for (const std::uint32_t extent : map.box) bytes *= extent;
  return bytes;
}

Result<void> check_tensor_map(const BufferSpec& buffer, const TensorMapSpec& map) {
  const std::uint64_t element = map_element_size(buffer.type, map);
  std::string wrong = buffer.on_host() ? "its buffer lies on the host: copy it to the device" : "";
  if (wrong.empty() && (!std::has_single_bit(element) || element > 8))
    wrong = format("its elements have {} bytes: take 1, 2, 4 or 8", element);
  if (wrong.empty()) wrong = wrong_lists(map);
  if (wrong.empty()) wrong = wrong_box(map, element);
  if (wrong.empty()) wrong = wrong_place(buffer, map, element);
  if (!wrong.empty())
    return fail(Phase::resources, "tensor map", format("the tensor map over `{}`: {}", buffer.name, wrong));
  return {};
}

Result<void> check_tensor_maps(const DeviceProperties& device, const LaunchPlan& plan) {
  for (const Launch* launch : kernel_launches(plan))
    for (const KernelArgument& argument : launch->arguments) {
      const auto* map = std::get_if<TensorMapArgument>(&argument);
      if (map == nullptr) continue;
      if (!has_tensor_maps(device))
        return fail(Phase::resources, "tensor map",
                    format("kernel `{}` takes a tensor map: that needs compute "
                           "capability 9.0, the device has {}.{}: copy by cp.async there",
                           launch->entry, device.compute_major, device.compute_minor));
      if (Result<void> right = check_tensor_map(plan.buffer(map->buffer), map->map); !right) return right;
    }
  return {};
}

}  // namespace tune
