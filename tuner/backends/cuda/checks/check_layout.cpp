// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/checks/check_layout.hpp"

#include <limits>

namespace tune::cuda {

std::optional<checks::Placement> placement_of(const CopyShape& shape, std::size_t element_size) {
  checks::Placement placement;
  std::uint64_t stride = 1;
  std::uint64_t count = shape.width / element_size;
  for (const auto& outer : shape.loops) {
    if (placement.loops == checks::most_loops) return std::nullopt;
    placement.loop[placement.loops++] = {count, stride, 1.0 / static_cast<double>(count)};
    stride = outer.device_stride / element_size;
    count = outer.count;
  }
  placement.outer_stride = stride;
  return placement;
}

Comparison combine(std::span<const checks::Finding> findings) {
  Comparison combined_part;
  double rank = -std::numeric_limits<double>::infinity();
  bool any = false;
  for (const auto& part : findings) {
    combined_part.wrong += part.wrong;
    combined_part.total_error += part.total;
    if (part.error < 0) continue;  // a block without elements
    const bool earlier = part.rank == rank && part.index < combined_part.worst_index;
    if (any && !(part.rank > rank) && !earlier) continue;
    any = true;
    rank = part.rank;
    combined_part.worst_error = part.error;
    combined_part.worst_index = part.index;
    combined_part.worst_value = part.value;
    combined_part.worst_reference = part.reference;
  }
  return combined_part;
}

}  // namespace tune::cuda
