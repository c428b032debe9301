// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/framework/family.hpp"
#include "kernels/stencil/model/job.hpp"

namespace tune::kernels {

struct CheckSize {
  std::int64_t nx = 0, ny = 0, nz = 0, steps = 1;
};

/// Checked: sizes that are not multiples of anything, at which a configuration is valid. They have cells with
/// and without a boundary, and steps for a whole launch and a partial one.
using StencilVariant = Variant<StencilJob, std::vector<CheckSize>>;

const VariantTable<StencilJob, std::vector<CheckSize>>& stencil_variants();

search::SpaceDefinition stencil_space(const StencilJob& job, const DeviceProperties& device);

// Shared by the spaces of several variants.

/// Limit on the unrolled multiply-adds of a kernel. A box of radius 2 with 4096 took 2.9 s to compile on a 3
/// GHz core and was never near the best.
inline constexpr int max_unrolled_terms = 2048;

/// Returns the constants of rules that follow from the job: nx, ny, nz, star, steps, reach_x, reach_y,
/// reach_z, points and words (32-bit words of a cell); in two dimensions also block_y and cells_y, which are
/// 1.
Constants stencil_constants(const StencilJob& job);

std::int64_t stencil_value(const search::Expr& expression, const StencilJob& job,
                           const search::Configuration& configuration);

/// Adds the named ones of the parameters that several variants have, if the job has them. `when`: a condition
/// in addition to their own.
void add_shared(FamilySpace& space, const StencilJob& job, std::initializer_list<std::string_view> names,
                const std::optional<search::Expr>& when = std::nullopt);

void add_block_limits(const Rules& rules, const search::Expr& block_threads);
void add_brick_limits(const Rules& rules, const search::Expr& cells);
/// Adds that tiles have a power of two of rows: other numbers are for `temporal`, whose tiles have to fit the
/// SMs.
void add_row_rule(const Rules& rules);

/// The stencil that a sweep over the array sums.
struct SweptStencil {
  search::Expr applies;  ///< the configurations
  search::Expr points;
  search::Expr reach_x, reach_y, reach_z;
  bool star = false;
  bool may_roll_planes = false;  ///< there is a parameter unroll_planes
};
/// Returns the job's own stencil, swept by a variant.
SweptStencil swept_by(std::string_view variant, const StencilJob& job);

/// Returns the seconds that so many passes over the array take at least: each reads and writes all of it, but
/// for what the L2 cache keeps from one to the next. 0 where the bandwidth is unknown.
double seconds_of_passes(const StencilJob& job, const DeviceProperties& device, std::int64_t passes);
/// Returns those of a pass for each step.
double seconds_of_single_steps(const StencilJob& job, const DeviceProperties& device);

bool sweeps_apply(const StencilJob& job);
/// True if `temporal` can compute the job. Its sums are unrolled: reach and number of points must be small.
/// The cell itself must be a point, and in three dimensions some point must lie beside it along y.
bool temporal_applies(const StencilJob& job);

/// True if a reference costs so many operations a cell, as that of a large box, that checks need fewer cells.
bool costly(const StencilJob& job);
/// Returns steps for one whole launch of `fused` ones and the remainder of the job's own steps; two whole
/// launches if there is none.
std::int64_t checked_steps(std::int64_t steps, std::int64_t fused);
/// Rounds the extents up: rows of an unpadded array are whole vectors, and those for boxes of the copy engine
/// multiples of 16 bytes.
std::vector<CheckSize> in_vectors(std::vector<CheckSize> sizes, const StencilJob& job,
                                  const search::Configuration& configuration);
/// Returns sizes for a variant whose first launch has `fused` time steps: `first` or a size that is right for
/// most tiles, and sizes of which few or no cells have all neighbours.
std::vector<CheckSize> sweep_sizes(const StencilJob& job, const search::Configuration& configuration,
                                   std::int64_t fused, std::optional<CheckSize> first = std::nullopt);
/// Returns the sizes for a sweep for each step.
std::vector<CheckSize> step_sizes(const StencilJob& job, const search::Configuration& configuration);

}  // namespace tune::kernels
