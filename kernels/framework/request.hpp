// SPDX-License-Identifier: Apache-2.0
// Shared by the plans of all problems: files and macros of a compilation, layouts, launches.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expressions/value.hpp"
#include "search/space/configuration.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Returns a kernel file (`common/vectors.cuh`) as a header of a request: `#include "vectors.cuh"`.
SourceFile header(const KernelSources& sources, std::string_view file);

/// Returns the macro of a parameter: BLOCK_X=64, LOADER=Loader::async, UNROLL=1 for true.
std::pair<std::string, std::string> macro(const std::string& name, const search::Value& value);

/// Adds the configuration's parameters as macros, except `variant` and `others`.
void add_macros(CompileRequest& request, const search::Configuration& configuration,
                std::initializer_list<std::string_view> others);

/// Returns how many parts of `unit` cover `value`, which is not negative.
constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit;
}

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return ceil_div(value, unit) * unit;
}

/// Returns the least multiple of `unit` that is at least `extent` and has no other prime factors above
/// `largest`: such transforms are fast.
std::int64_t smooth_extent(std::int64_t extent, std::int64_t largest = 7, std::int64_t unit = 1);

/// Returns a tensor whose rows are `pitch` elements apart, without other gaps.
Layout layout_with_pitch(const Extents& extents, std::int64_t pitch);

/// Returns a tensor without gaps or, with padding, with rows of whole lines of `line` elements.
Layout row_layout(const Extents& extents, bool padded, std::int64_t line);

/// Returns an argument for a kernel's `int` or `long long` parameter.
ScalarArgument int32(std::int64_t value);
ScalarArgument int64(std::integral auto value) {
  return static_cast<std::int64_t>(value);
}
/// Returns an argument of the tensors' type, float or double.
ScalarArgument real_argument(ElementType type, double value);

Dim3 block_of(std::int64_t x, std::int64_t y = 1, std::int64_t z = 1);

/// Returns a launch of a grid along x. Shared memory is in bytes of a block.
Launch make_launch(std::string entry, std::int64_t blocks, Dim3 block, std::vector<KernelArgument> arguments,
                   std::int64_t shared_memory = 0);

}  // namespace tune::kernels
