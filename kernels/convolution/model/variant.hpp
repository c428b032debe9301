// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/convolution/model/job.hpp"
#include "search/space/configuration.hpp"
#include "search/space/parameter.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// The pixels that a block of a variant's kernels computes, of both passes the larger ones: what checks have
/// to exceed.
struct ConvolutionTile {
  std::int64_t x = 1, y = 1;
};

/// One algorithm of the family.
struct ConvolutionVariant {
  std::string_view name;     ///< fused
  std::string_view summary;  ///< one clause, for the documentation of the parameter `variant`
  /// Whether it can compute the job at all.
  bool (*applies)(const ConvolutionJob& job);
  /// What a configuration of it means.
  Result<LaunchPlan> (*plan)(const ConvolutionJob& job, const Configuration& configuration,
                             const KernelSources& sources);
  ConvolutionTile (*tile)(const ConvolutionJob& job, const Configuration& configuration);
  /// Adds its own parameters, which exist for this variant alone.
  void (*add_parameters)(const ConvolutionJob& job, std::vector<search::Parameter>& parameters);
  /// Adds rules that apply to its configurations alone.
  void (*add_rules)(const ConvolutionJob& job, std::vector<search::Constraint>& rules);
};

/// All variants. A new one is a file pair and one line.
std::span<const ConvolutionVariant> convolution_variants();

/// The variant of a configuration. Throws std::out_of_range for an unknown name.
const ConvolutionVariant& convolution_variant(const Configuration& configuration);

/// Parameters and constraints of all variants that apply to the job.
search::SpaceDefinition convolution_space(const ConvolutionJob& job, const DeviceProperties& device);

}  // namespace tune::kernels
