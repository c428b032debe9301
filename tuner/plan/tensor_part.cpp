// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/tensor_part.hpp"

#include <algorithm>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune {
namespace {

bool is_part(const BufferSpec& buffer) {
  return !buffer.part.tensor.empty();
}

std::uint64_t plane_elements(const BufferSpec& buffer) {
  Extents plane = buffer.layout.extents;
  plane.back() = 1;
  return element_count(plane);
}

/// Returns `count` planes of a dense tensor.
TensorView planes_of(const BufferSpec& buffer, const TensorView& tensor, std::uint64_t first,
                     std::uint64_t count) {
  Extents extents = buffer.layout.extents;
  extents.back() = tensor.extents.empty() ? 0 : tensor.extents.back();
  if (tensor.extents != extents || first > extents.back() || count > extents.back() - first)
    throw Error(format("tensor `{}` has no planes {} to {} of the extents of `{}`", tensor_name(buffer),
                       first, first + count, buffer.name));
  const std::uint64_t plane = plane_elements(buffer) * element_size(tensor.type);
  extents.back() = count;
  return {tensor.type, extents, tensor.bytes.subspan(first * plane, count * plane)};
}

}  // namespace

const std::string& tensor_name(const BufferSpec& buffer) {
  return is_part(buffer) ? buffer.part.tensor : buffer.name;
}

TensorView filling(const BufferSpec& buffer, const TensorView& tensor) {
  if (tensor.type != buffer.type || (!is_part(buffer) && tensor.extents != buffer.layout.extents))
    throw Error(
        format("the tensor for input `{}` has other extents or elements than its buffer", buffer.name));
  return is_part(buffer) ? planes_of(buffer, tensor, buffer.part.first, buffer.layout.extents.back())
                         : tensor;
}

Layout results_layout(const BufferSpec& output) {
  Layout layout = output.layout;
  if (!is_part(output)) return layout;
  layout.extents.back() = output.part.end - output.part.begin;
  layout.offset += output.part.begin * layout.strides.back();
  return layout;
}

TensorView reference_part(const BufferSpec& output, const TensorView& reference) {
  if (!is_part(output)) return reference;
  const auto& [tensor, first, begin, end] = output.part;
  return planes_of(output, reference, first + begin, end - begin);
}

Bounds bounds_of_part(const BufferSpec& output, Bounds bounds) {
  const std::size_t axis = output.layout.extents.size() - 1;
  if (!is_part(output) || bounds.limits_along.size() <= axis || bounds.limits_along[axis].empty())
    return bounds;
  std::vector<double>& along = bounds.limits_along[axis];
  const auto at = [&](std::uint64_t plane) {
    return along.begin() +
           static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(output.part.first + plane, along.size()));
  };
  along = std::vector<double>(at(output.part.begin), at(output.part.end));
  return bounds;
}

Comparison in_tensor(const BufferSpec& output, Comparison comparison) {
  if (is_part(output))
    comparison.worst_index += (output.part.first + output.part.begin) * plane_elements(output);
  return comparison;
}

Extents tensor_extents(const LaunchPlan& plan, const BufferSpec& output) {
  Extents extents = output.layout.extents;
  if (!is_part(output)) return extents;
  for (const BufferSpec& other : plan.buffers)
    if (other.role == output.role && tensor_name(other) == tensor_name(output))
      extents.back() = std::max(extents.back(), other.part.first + other.part.end);
  return extents;
}

}  // namespace tune
