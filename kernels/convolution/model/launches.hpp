// SPDX-License-Identifier: Apache-2.0
// What the plans of several variants have in common.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/convolution/model/job.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// The request for `file` (`convolution/fused.cu`) with these headers, the taps, and REAL and the
/// configuration's parameters, but `variant` and `padded`, as macros.
CompileRequest convolution_request(const ConvolutionJob& job, std::string_view file,
                                   const std::vector<std::string_view>& headers,
                                   const search::Configuration& configuration, const KernelSources& sources);

/// Rows without gaps between them; with padding, rows of whole lines.
Layout image_layout(const ConvolutionJob& job, bool padded);

/// Adds `in` and `out`, both as `layout` says; what lies beside the image may be read.
void add_images(LaunchPlan& plan, const ConvolutionJob& job, const Layout& layout);

/// Blocks of a one-dimensional grid for tiles of so many pixels. Failure{constraint} beyond what a grid has.
Result<std::uint32_t> blocks_of_tiles(const ConvolutionJob& job, std::int64_t tile_x, std::int64_t tile_y);

/// How many parts of `unit` cover `value`.
inline std::int64_t parts(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit;
}

/// An argument of a kernel's `int` parameter.
inline ScalarArgument int32(std::int64_t value) {
  return static_cast<std::int32_t>(value);
}

}  // namespace tune::kernels
