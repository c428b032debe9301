// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/stencil/model/job.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

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
