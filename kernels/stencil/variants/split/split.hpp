// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stencil/model/job.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Unrolled multiply-adds that one part may have, and all parts together, which take three seconds to compile
/// on a 3 GHz core where there are so many.
inline constexpr int max_part_terms = 3072;
inline constexpr int max_split_terms = 12288;

/// How `split` orders a stencil's points before it cuts them into parts of about equal counts, and where it
/// may cut: between planes of z, between rows of y, anywhere (the points in the order of memory), or anywhere
/// with the points of a star ordered by axis.
enum class Division { planes, rows, points, axes };

/// `planes`. Throws std::out_of_range for another name.
Division division_named(std::string_view name);
std::string_view to_string(Division division);

/// Into how many parts the stencil can be divided so at most; 1 where the division makes no sense for it.
int max_parts(const Stencil& stencil, Division division);

/// The part of each point, in the order of `stencil.points`: numbers from 0 to parts - 1, each of which some
/// point has. `parts` is at most max_parts().
std::vector<int> parts_of(const Stencil& stencil, Division division, int parts);

/// Points of the largest part.
std::int64_t largest_part(const Stencil& stencil, Division division, int parts);

/// A time step in several launches, each of which adds the terms of a part of the points.
Result<LaunchPlan> plan_split(const StencilJob& job, const Configuration& configuration,
                              const KernelSources& sources);

/// Whether the stencil has more points than one sweep computes while it waits for memory anyway, and no more
/// than can be unrolled.
bool split_applies(const StencilJob& job);

}  // namespace tune::kernels
