// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/matvec/model/job.hpp"
#include "search/space/configuration.hpp"
#include "search/space/parameter.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// One algorithm of matvec.
struct MatvecVariant {
  std::string_view name;     ///< fused
  std::string_view summary;  ///< one clause, for the documentation of the parameter `variant`
  /// Whether it can compute the job at all.
  bool (*applies)(const MatvecJob& job);
  /// What a configuration of it means.
  Result<LaunchPlan> (*plan)(const MatvecJob& job, const Configuration& configuration,
                             const KernelSources& sources);
  /// Rules of its own configurations.
  void (*add_rules)(std::vector<search::Constraint>& rules, const MatvecJob& job);
};

/// All variants. A new one is a file pair and one line.
std::span<const MatvecVariant> matvec_variants();

/// The variant of a configuration. Throws std::out_of_range for an unknown name.
const MatvecVariant& matvec_variant_of(const Configuration& configuration);

/// Parameters and constraints of all variants that apply to the job.
search::SpaceDefinition matvec_space(const MatvecJob& job, const DeviceProperties& device);

}  // namespace tune::kernels
