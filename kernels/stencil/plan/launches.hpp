// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/model/job.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

// What the plans of several variants have in common.

namespace tune::kernels {

/// `configuration[name]` as a number; 1 where the parameter does not exist, such as those of the y axis of a
/// 2-D array.
std::int64_t value_or_one(const search::Configuration& configuration, std::string_view name);

/// Whether a thread computes a brick of cells, rather than marches: `direct`, by itself or inside of
/// `composed`, `persistent` and `split`.
bool uses_bricks(const search::Configuration& configuration);

const KernelFiles& stencil_files();

/// The value of BOUNDARY and RIM_BOUNDARY.
const char* boundary_macro(const StencilJob& job);

/// The request for `file` (`direct.cu`) with the stencil's points, and REAL, BOUNDARY and the configuration's
/// parameters, but the named ones, as macros.
CompileRequest stencil_request(const StencilJob& job, const Stencil& points, std::string_view file,
                               const search::Configuration& configuration, const KernelSources& sources,
                               std::initializer_list<std::string_view> no_macros = {});

/// Rows and planes without gaps between them; with padding, rows of whole lines.
Layout line_layout(const StencilJob& job, bool padded);

/// The array that pass `pass` of `passes` writes: the last one writes `out`, others alternate with `other`.
std::string target_of(std::int64_t pass, std::int64_t passes);

/// The names of arrays between `in` and `out`.
inline constexpr const char* scratch_names[] = {"other", "rim_even", "rim_odd"};
/// Adds `in`, `out` and the first `scratch` of these, all as `layout` says; ghost cells may be read.
void add_arrays(LaunchPlan& plan, const StencilJob& job, const Layout& layout, int scratch);

/// Buffers and launches that go from `in` to `out`, alternating with the scratch buffer `other`: `sweeps` are
/// in order, without the buffers, which become their first two arguments (source, target). All arrays lie as
/// `layout` says; sources are given as `map` where there is one.
void add_alternating(LaunchPlan& plan, const StencilJob& job, const Layout& layout,
                     std::vector<Launch> sweeps, const std::optional<TensorMapSpec>& map = std::nullopt);
/// The array `source` as a kernel gets it that reads it.
KernelArgument source_argument(const std::string& source, const std::optional<TensorMapSpec>& map);

/// nx, ny, nz, pitch, plane: the arguments that the kernels of the family end with.
std::vector<KernelArgument> extent_arguments(const StencilJob& job, const Layout& layout);

/// One launch of `file`'s kernel a time step, each reading what the last one wrote. `macros`: others than
/// those that parameters become.
Result<LaunchPlan> plan_sweeps(const StencilJob& job, const Configuration& configuration,
                               const KernelSources& sources, std::string_view file,
                               const std::vector<std::pair<std::string, std::string>>& macros = {});

/// A launch of `stencil_step` without its buffers, which become its first two arguments.
struct SweepLaunch {
  Launch launch;
  Layout layout;  ///< of both arrays
  /// Instead of a pointer to the array that is read: a map of it.
  std::optional<TensorMapSpec> map = std::nullopt;
};
Result<SweepLaunch> sweep_launch(const StencilJob& job, const Configuration& configuration);

/// The macros of the y axis, for which arrays of two dimensions have no parameters.
void add_axis_macros(const StencilJob& job, CompileRequest& request);

}  // namespace tune::kernels
