// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "kernels/gemm/model/job.hpp"
#include "kernels/gemm/model/launches.hpp"
#include "kernels/gemm/model/space.hpp"
#include "search/space/configuration.hpp"
#include "search/space/parameter.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

using search::Configuration;

/// One algorithm of the product.
struct GemmVariant {
  std::string_view name;     ///< register
  std::string_view summary;  ///< one clause, for the documentation of the parameter `variant`
  /// Whether it can compute the job at all.
  bool (*applies)(const GemmJob& job);
  /// What a configuration of it means. Sets LaunchPlan::tolerance where its arithmetic is not strict.
  Result<LaunchPlan> (*plan)(const GemmJob& job, const Configuration& configuration,
                             const KernelSources& sources);
  /// Adds its parameters and rules.
  void (*add_rules)(GemmSpace& space, const GemmJob& job, const DeviceProperties& device);
  /// What a block computes: checks take sizes of several such tiles and of parts of them.
  GemmTile (*tile)(const Configuration& configuration);
};

/// All variants. A new one is a file pair and one line.
std::span<const GemmVariant> gemm_variants();

/// The variant of a configuration. Throws std::out_of_range for an unknown name.
const GemmVariant& variant_of_gemm(const Configuration& configuration);

/// Parameters and constraints of all variants that apply to the job.
search::SpaceDefinition gemm_space(const GemmJob& job, const DeviceProperties& device);

/// The plan of a configuration. Inputs `a` and `b`, output `c`; what else it allocates is scratch.
Result<LaunchPlan> plan_gemm(const GemmJob& job, const Configuration& configuration,
                             const KernelSources& sources);

}  // namespace tune::kernels
