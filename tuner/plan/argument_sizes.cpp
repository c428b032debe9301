// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/argument_sizes.hpp"

#include <algorithm>
#include <variant>

#include "tuner/base/format.hpp"
#include "tuner/plan/tensor_map_shape.hpp"

namespace tune {
namespace {

std::size_t size_of_argument(const KernelArgument& argument) {
  if (const auto* scalar = std::get_if<ScalarArgument>(&argument))
    return std::visit([](const auto& value) { return sizeof(value); }, *scalar);
  if (std::holds_alternative<TensorMapArgument>(argument)) return tensor_map_bytes;
  if (const auto* object = std::get_if<StructArgument>(&argument)) return object->bytes.size();
  return sizeof(void*);
}

}  // namespace

std::string unfit_arguments(const Launch& launch, std::span<const std::size_t> sizes) {
  for (std::size_t i = 0; i < std::min(sizes.size(), launch.arguments.size()); ++i) {
    const std::size_t given = size_of_argument(launch.arguments[i]);
    if (given == sizes[i]) continue;
    const bool is_object = std::holds_alternative<StructArgument>(launch.arguments[i]);
    return format("argument {} of kernel `{}` has {} bytes, {} are passed{}", i + 1, launch.entry, sizes[i],
                  given, is_object ? ": compare the fields and the alignment of the struct" : "");
  }
  if (sizes.size() != launch.arguments.size())
    return format("kernel `{}` takes {} arguments, {} are passed", launch.entry, sizes.size(),
                  launch.arguments.size());
  return {};
}

}  // namespace tune
