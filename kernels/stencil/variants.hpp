// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "kernels/stencil/model/job.hpp"
#include "search/space/configuration.hpp"
#include "search/space/parameter.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// One algorithm of the stencil family.
struct StencilVariant {
  std::string_view name;     ///< temporal
  std::string_view summary;  ///< one clause, for the documentation of the parameter `variant`
  /// Whether it can compute the job at all.
  bool (*applies)(const StencilJob& job);
  /// What a configuration of it means.
  Result<LaunchPlan> (*plan)(const StencilJob& job, const Configuration& configuration,
                             const KernelSources& sources);
  /// Time steps of its first launch: a check must run at least one whole launch and one of what is left over.
  std::int64_t (*fused)(const Configuration& configuration);
};

/// All variants. A new one is a file pair and one line.
std::span<const StencilVariant> stencil_variants();

/// The variant of a configuration. Throws std::out_of_range for an unknown name.
const StencilVariant& variant_of(const Configuration& configuration);

/// Parameters and constraints of all variants that apply to the job.
search::SpaceDefinition stencil_space(const StencilJob& job, const DeviceProperties& device);

}  // namespace tune::kernels
