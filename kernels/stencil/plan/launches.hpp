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

// Shared by the plans of several variants.

namespace tune::kernels {

/// Returns `configuration[name]` as a number; 1 if the parameter does not exist, such as those of the y axis
/// of a 2-D array.
std::int64_t value_or_one(const search::Configuration& configuration, std::string_view name);

/// True if a thread computes a brick of cells instead of marching through planes.
bool uses_bricks(const search::Configuration& configuration);

const KernelFiles& stencil_files();

/// Returns the value of BOUNDARY and RIM_BOUNDARY.
const char* boundary_macro(const StencilJob& job);

/// Returns the request for `file` (`direct.cu`) with the stencil's points as a header. Macros: REAL, BOUNDARY
/// and the configuration's parameters except `no_macros`.
CompileRequest stencil_request(const StencilJob& job, const Stencil& points, std::string_view file,
                               const search::Configuration& configuration, const KernelSources& sources,
                               std::initializer_list<std::string_view> no_macros = {});

/// Returns rows and planes without gaps or, with padding, rows of whole lines.
Layout line_layout(const StencilJob& job, bool padded);

/// Returns the array that pass `pass` of `passes` writes: the last one writes `out`, others alternate with
/// `other`.
std::string target_of(std::int64_t pass, std::int64_t passes);

/// Names of arrays between `in` and `out`.
inline constexpr const char* scratch_names[] = {"other", "rim_even", "rim_odd"};
/// Adds `in`, `out` and the first `scratch` of these with this layout; kernels may read ghost cells.
void add_arrays(LaunchPlan& plan, const StencilJob& job, const Layout& layout, int scratch);

/// Adds buffers and launches from `in` to `out`, alternating with the scratch buffer `other`. `sweeps` are in
/// order and lack their first two arguments, source and target. All arrays have this layout; sources are
/// passed as `map` if there is one.
void add_alternating(LaunchPlan& plan, const StencilJob& job, const Layout& layout,
                     std::vector<Launch> sweeps, const std::optional<TensorMapSpec>& map = std::nullopt);
KernelArgument source_argument(const std::string& source, const std::optional<TensorMapSpec>& map);

/// Returns nx, ny, nz, pitch, plane: the last arguments of the kernels of the family.
std::vector<KernelArgument> extent_arguments(const StencilJob& job, const Layout& layout);

/// Plans a launch of `file`'s kernel for each time step. `macros` come in addition to those of the
/// parameters.
Result<LaunchPlan> plan_sweeps(const StencilJob& job, const Configuration& configuration,
                               const KernelSources& sources, std::string_view file,
                               const std::vector<std::pair<std::string, std::string>>& macros = {});

/// A launch of `stencil_step` without its buffers, its first two arguments.
struct SweepLaunch {
  Launch launch;
  Layout layout;  ///< of both arrays
  /// Replaces the pointer to the array that is read.
  std::optional<TensorMapSpec> map = std::nullopt;
};
Result<SweepLaunch> sweep_launch(const StencilJob& job, const Configuration& configuration);

/// Adds the macros of the y axis, for which arrays of two dimensions have no parameters.
void add_axis_macros(const StencilJob& job, CompileRequest& request);

}  // namespace tune::kernels
