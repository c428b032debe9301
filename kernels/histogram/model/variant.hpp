// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/framework/family.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/histogram/model/job.hpp"
#include "search/expressions/expr.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

struct HistogramCheck {};
using HistogramVariant = Variant<HistogramJob, HistogramCheck>;

inline constexpr auto check_histogram = [](const HistogramJob&, const Configuration&) {
  return HistogramCheck{};
};

const VariantTable<HistogramJob, HistogramCheck>& histogram_variants();

search::SpaceDefinition histogram_space(const HistogramJob& job, const DeviceProperties& device);

const KernelFiles& histogram_kernels();

// Shared by the variants' spaces.

/// Adds `merge`: how the counters of blocks are added up.
void add_merge(FamilySpace& space);
/// Adds `counter`, its bits, and the rule that the counters of a block fit. `words`: of 32 bits, for all bins
/// that a block counts, if a counter had 32 bits.
void add_counter(FamilySpace& space, std::vector<search::Value> bits, const search::Expr& words);

// Shared by the plans.

/// Returns the plan of `file` without launches: macros, and the buffers `samples` and `counts`, which the
/// first step clears.
LaunchPlan histogram_plan(const HistogramJob& job, std::string_view file, const Configuration& configuration,
                          const KernelSources& sources);
/// Returns the blocks of a grid: the configuration's, and fewer where these would have too few samples.
std::int64_t histogram_blocks(const HistogramJob& job, const Configuration& configuration);
/// Returns the words of the counters of 8, 16 or 32 bits of a block that counts so many bins.
std::int64_t counter_words(std::int64_t bins, std::int64_t bits);

/// Adds the buffer `parts`: rows of counters.
void add_parts(LaunchPlan& plan, const HistogramJob& job, std::int64_t rows);
/// Adds the launch that adds the rows of `parts` to `counts`.
void add_sum_launch(LaunchPlan& plan, const HistogramJob& job, std::int64_t rows);
/// Adds the launch of `entry` and, with merge=kernel, that of the sum over `rows` rows of counters. `words`:
/// shared memory of a block. `corrects`: the kernel adds to `counts` while it counts.
void add_counting_launch(LaunchPlan& plan, const HistogramJob& job, const Configuration& configuration,
                         const std::string& entry, std::int64_t blocks, std::int64_t rows, std::int64_t words,
                         bool corrects);

}  // namespace tune::kernels
