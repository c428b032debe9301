// SPDX-License-Identifier: Apache-2.0
// What the spaces of several variants have in common.
#pragma once

#include <vector>

#include "kernels/stencil/model/job.hpp"
#include "search/space/parameter.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {

/// Unrolled multiply-adds that a kernel may have. A box of radius 2 with 4096 took 2.9 s to compile on a 3
/// GHz core and was never near the best.
inline constexpr int max_terms = 2048;
inline constexpr const char* too_many_terms =
    "the unrolled sums are larger than the instruction cache and take seconds to compile";

/// `split`: the same of one part, and of all parts, which take three seconds to compile on a 3 GHz core where
/// there are so many.
inline constexpr int max_part_terms = 3072;
inline constexpr int max_split_terms = 12288;
/// `split`: a part costs as much memory traffic as a step of its own. Fewer points take no time beside it.
inline constexpr int min_points_of_part = 16;
/// Cells of a thread in the default configuration of `split`, if there are parts enough.
inline constexpr int default_split_cells = 4;

/// `variant == name`.
search::Expr is_variant(const char* name);

/// Limits on one block wherever `applies` holds: threads, and those of min_blocks blocks.
void add_block_limits(std::vector<search::Constraint>& rules, const search::Expr& applies,
                      const search::Expr& block_threads);

/// Whether `needed` 32-bit registers are at most what a thread of min_blocks such blocks may have.
search::Expr fits_registers(const search::Expr& needed, const search::Expr& block_threads);

/// What a sweep over the array sums.
struct SweptStencil {
  search::Expr applies;  ///< to which configurations
  search::Expr points;
  search::Expr reach_x, reach_y, reach_z;
  bool star = false;
  bool may_roll_planes = false;  ///< whether there is a parameter unroll_planes
};

/// Rules of the variants; each applies to its own configurations only.
void add_direct_rules(std::vector<search::Constraint>& rules, const SweptStencil& stencil);
void add_streaming_rules(std::vector<search::Constraint>& rules, const SweptStencil& stencil);
void add_composed_rules(std::vector<search::Constraint>& rules, const StencilJob& job);
void add_temporal_rules(std::vector<search::Constraint>& rules, const StencilJob& job);
void add_persistent_rules(std::vector<search::Constraint>& rules, const StencilJob& job,
                          const DeviceProperties& device);
void add_split_rules(std::vector<search::Constraint>& rules, const StencilJob& job);
void add_fft_rules(std::vector<search::Constraint>& rules);

/// What `persistent` adds to the parameters of `direct`. Tiles in shared memory are offered where the array
/// fits that of the device.
std::vector<search::Parameter> persistent_parameters(const StencilJob& job, const DeviceProperties& device);

/// What `split` adds to them: `parts` and `divide`.
std::vector<search::Parameter> split_parameters(const StencilJob& job);

}  // namespace tune::kernels
