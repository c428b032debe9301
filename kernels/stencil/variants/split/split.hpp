// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/stencil/model/job.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Limits on the unrolled multiply-adds of one part, and of all parts together: so many take three seconds to
/// compile on a 3 GHz core.
inline constexpr int max_part_terms = 3072;
inline constexpr int max_split_terms = 12288;

/// The order of a stencil's points before they are cut into parts of about equal counts, and the places of
/// cuts: between planes of z, between rows of y, anywhere (the points in the order of memory), or anywhere
/// with the points of a star ordered by axis.
enum class Division { planes, rows, points, axes };

/// Throws std::out_of_range for an unknown name.
Division division_named(std::string_view name);
std::string_view to_string(Division division);

/// Returns the largest number of parts; 1 if the division does not suit the stencil.
int max_parts(const Stencil& stencil, Division division);

/// Returns the part of each point, in the order of `stencil.points`: numbers from 0 to parts - 1, all of
/// which occur. `parts` is at most max_parts().
std::vector<int> parts_of(const Stencil& stencil, Division division, int parts);

/// Returns the points of the largest part.
std::int64_t largest_part(const Stencil& stencil, Division division, int parts);

/// Plans a time step as several launches, each of which adds the terms of a part of the points.
Result<LaunchPlan> plan_split(const StencilJob& job, const Configuration& configuration,
                              const KernelSources& sources);

/// True if the stencil has more points than one sweep computes while it waits for memory, but not too many to
/// unroll.
bool split_applies(const StencilJob& job);

}  // namespace tune::kernels
