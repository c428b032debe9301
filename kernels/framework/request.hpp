// SPDX-License-Identifier: Apache-2.0
// What the plans of all problems have in common: the files and macros of a compilation, layouts, launches.
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

/// Returns the macro that a parameter becomes: BLOCK_X=64, LOADER=Loader::async, UNROLL=1 for true.
std::pair<std::string, std::string> macro(const std::string& name, const search::Value& value);

/// Adds the configuration's parameters, but `variant` and the named ones, as macros.
void add_macros(CompileRequest& request, const search::Configuration& configuration,
                std::initializer_list<std::string_view> others);

/// The least number of parts of `unit` that cover `value`, which is not negative.
constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit;
}

/// `value` rounded up to a multiple of `unit`.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return ceil_div(value, unit) * unit;
}

/// The least multiple of `unit` that is no less than `extent` and whose other prime factors are no more than
/// `largest`: what Fourier transforms are fast for.
std::int64_t smooth_extent(std::int64_t extent, std::int64_t largest = 7, std::int64_t unit = 1);

/// A tensor whose rows are so far apart [elements]; nothing else lies between them.
Layout layout_with_pitch(const Extents& extents, std::int64_t pitch);

/// A tensor without gaps; with padding, one with rows of whole lines of so many elements.
Layout row_layout(const Extents& extents, bool padded, std::int64_t line);

/// Arguments of a kernel's `int` and `long long` parameters.
ScalarArgument int32(std::int64_t value);
ScalarArgument int64(std::integral auto value) {
  return static_cast<std::int64_t>(value);
}
/// An argument of the type of the tensors, float or double.
ScalarArgument real_argument(ElementType type, double value);

/// A block of so many threads.
Dim3 block_of(std::int64_t x, std::int64_t y = 1, std::int64_t z = 1);

/// A launch of a grid along x. Shared memory is in bytes of a block.
Launch make_launch(std::string entry, std::int64_t blocks, Dim3 block, std::vector<KernelArgument> arguments,
                   std::int64_t shared_memory = 0);

}  // namespace tune::kernels
