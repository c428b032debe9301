// SPDX-License-Identifier: Apache-2.0
#include "kernels/framework/request.hpp"

#include <algorithm>
#include <cctype>

namespace tune::kernels {
namespace {

char upper(char c) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

}  // namespace

SourceFile header(const KernelSources& sources, std::string_view file) {
  return {std::string(file.substr(file.rfind('/') + 1)), sources.text(file)};
}

std::pair<std::string, std::string> macro(const std::string& name, const search::Value& value) {
  std::string macro_name = name;
  std::ranges::transform(macro_name, macro_name.begin(), upper);
  if (!value.is_text()) return {macro_name, std::to_string(value.as_int())};
  std::string type = name;
  type[0] = upper(type[0]);
  return {macro_name, type + "::" + value.as_text()};
}

void add_macros(CompileRequest& request, const search::Configuration& configuration,
                std::initializer_list<std::string_view> others) {
  for (const auto& [parameter, value] : configuration.entries())
    if (parameter != "variant" && std::ranges::find(others, parameter) == others.end())
      request.defines.push_back(macro(parameter, value));
}

std::int64_t smooth_extent(std::int64_t extent, std::int64_t largest, std::int64_t unit) {
  for (std::int64_t candidate = ceil_div(extent, unit);; ++candidate) {
    std::int64_t rest = candidate;
    for (const std::int64_t factor : {2, 3, 5, 7})
      while (factor <= largest && rest % factor == 0) rest /= factor;
    if (rest == 1) return unit * candidate;
  }
}

Layout layout_with_pitch(const Extents& extents, std::int64_t pitch) {
  Layout layout;
  layout.extents = extents;
  layout.allocation = static_cast<std::uint64_t>(pitch);
  layout.strides = {1};
  for (std::size_t axis = 1; axis < extents.size(); ++axis) {
    layout.strides.push_back(layout.allocation);
    layout.allocation *= extents[axis];
  }
  return layout;
}

Layout row_layout(const Extents& extents, bool padded, std::int64_t line) {
  if (!padded) return Layout::dense(extents);
  return layout_with_pitch(extents, round_up(static_cast<std::int64_t>(extents[0]), line));
}

ScalarArgument int32(std::int64_t value) {
  return static_cast<std::int32_t>(value);
}

ScalarArgument real_argument(ElementType type, double value) {
  if (type == ElementType::f64) return value;
  return static_cast<float>(value);
}

Dim3 block_of(std::int64_t x, std::int64_t y, std::int64_t z) {
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z)};
}

Launch make_launch(std::string entry, std::int64_t blocks, Dim3 block, std::vector<KernelArgument> arguments,
                   std::int64_t shared_memory) {
  Launch launch;
  launch.entry = std::move(entry);
  launch.grid.x = static_cast<std::uint32_t>(blocks);
  launch.block = block;
  launch.dynamic_shared_memory = static_cast<std::uint64_t>(shared_memory);
  launch.arguments = std::move(arguments);
  return launch;
}

}  // namespace tune::kernels
