// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/memory/plan_maps.hpp"

#include <algorithm>
#include <cstring>
#include <variant>

#include "tuner/base/error.hpp"

namespace tune::emulator {
namespace {

constexpr std::uint64_t first_map_object = std::uint64_t{0x7a9e} << 48;

}  // namespace

std::size_t PlacedMap::box_bytes() const {
  std::size_t bytes = element;
  for (const std::uint32_t extent : spec.box) bytes *= extent;
  return bytes;
}

void PlacedMap::each_row(const std::array<int, 5>& at, const Row& row) const {
  const std::size_t row_bytes = spec.box[0] * element;
  const auto width = static_cast<std::int64_t>(spec.extents[0]);
  const std::int64_t begin = std::clamp<std::int64_t>(at[0], 0, width);
  const std::int64_t end = std::clamp<std::int64_t>(std::int64_t{at[0]} + spec.box[0], 0, width);
  std::array<std::uint32_t, 5> index{};
  for (std::size_t to = 0; to < box_bytes(); to += row_bytes) {
    bool inside = begin < end;
    const char* from = first + begin * static_cast<std::int64_t>(element);
    for (std::size_t i = 1; i < spec.box.size(); ++i) {
      const std::int64_t place = std::int64_t{at[i]} + index[i];
      inside = inside && place >= 0 && place < static_cast<std::int64_t>(spec.extents[i]);
      if (inside) from += place * static_cast<std::int64_t>(spec.strides[i - 1]);
    }
    row(to, from, inside ? static_cast<std::size_t>(end - begin) * element : 0,
        static_cast<std::size_t>(begin - at[0]) * element);
    for (std::size_t i = 1; i < spec.box.size(); ++i) {
      if (++index[i] < spec.box[i]) break;
      index[i] = 0;
    }
  }
}

Result<PlanMaps> PlanMaps::make(const LaunchPlan& plan, const PlanMemory& memory) {
  PlanMaps made;
  for (const Launch* launch : kernel_launches(plan))
    for (const KernelArgument& argument : launch->arguments) {
      const auto* const map = std::get_if<TensorMapArgument>(&argument);
      if (map == nullptr || std::ranges::find(made.arguments_, *map) != made.arguments_.end()) continue;
      const BufferSpec& buffer = plan.buffer(map->buffer);
      if (const auto right = check_tensor_map(buffer, map->map); !right) return tl::unexpected(right.error());
      made.arguments_.push_back(*map);
      made.maps_.push_back(
          {map->buffer, map->map, element_size(buffer.type), memory.address(map->buffer, map->map.offset)});
    }
  return made;
}

MapValue PlanMaps::value(const TensorMapArgument& argument) const {
  const auto found = std::ranges::find(arguments_, argument);
  if (found == arguments_.end()) throw Error("a launch has a tensor map that its plan lacks");
  MapValue value;
  value.object = first_map_object + static_cast<std::uint64_t>(found - arguments_.begin());
  return value;
}

const PlacedMap* PlanMaps::find(const std::vector<PlacedMap>& maps, const void* value) {
  std::uint64_t object = 0;
  std::memcpy(&object, value, sizeof object);
  const std::uint64_t number = object - first_map_object;
  return number < maps.size() ? &maps[number] : nullptr;
}

}  // namespace tune::emulator
