// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/framework/family.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/triangle_count/model/job.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

struct TriangleCheck {};
using TriangleVariant = Variant<TriangleJob, TriangleCheck>;

inline constexpr auto check_triangles = [](const TriangleJob&, const Configuration&) {
  return TriangleCheck{};
};

const VariantTable<TriangleJob, TriangleCheck>& triangle_variants();

search::SpaceDefinition triangle_space(const TriangleJob& job, const DeviceProperties& device);

const KernelFiles& triangle_kernels();

// Shared by the plans.

/// What a kernel needs of edges besides their targets: their sources (its file has SOURCES 1), by target what
/// follows them in their rows, or bits (`core_rows` and `filters`).
enum class MoreOfEdges { sources, rests, bits };

/// Returns the plan of `file` up to the count: buffers and the preparation, timed or not.
LaunchPlan triangle_plan(const TriangleJob& job, std::string_view file, const Configuration& configuration,
                         const KernelSources& sources, MoreOfEdges more);

/// Adds the launch that counts, of as many blocks as the configuration has, at most `most`.
void add_count(LaunchPlan& plan, const char* entry, std::int64_t most, const Configuration& configuration,
               std::vector<KernelArgument> arguments, std::int64_t shared_memory = 0);

}  // namespace tune::kernels
