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

/// A small job, in the axes of the kernels.
struct CheckSize {
  std::int64_t nx = 0, ny = 0, nz = 0, steps = 1;
};

/// Checked: sizes that are no multiples of anything, at which a configuration of the job is valid: with cells
/// that no boundary concerns, and without; steps that run a whole launch and one of what is left over.
using StencilVariant = Variant<StencilJob, std::vector<CheckSize>>;

/// All variants. A new one is a folder below variants/ and a line in this table.
const VariantTable<StencilJob, std::vector<CheckSize>>& stencil_variants();

/// Parameters and constraints of all variants.
search::SpaceDefinition stencil_space(const StencilJob& job, const DeviceProperties& device);

// What the spaces of several variants have in common.

/// Unrolled multiply-adds that a kernel may have. A box of radius 2 with 4096 took 2.9 s to compile on a 3
/// GHz core and was never near the best.
inline constexpr int max_terms = 2048;

/// Constants of rules that follow from the job: nx, ny, nz, star, steps, reach_x, reach_y, reach_z, points
/// and words (32-bit words of a cell); of two dimensions block_y and cells_y too, which are 1.
Constants stencil_constants(const StencilJob& job);

/// The value of an expression for a configuration.
std::int64_t stencil_value(const search::Expr& expression, const StencilJob& job,
                           const search::Configuration& configuration);

/// Adds those of the parameters that several variants have; what the job does not have is left out. `when`:
/// under which condition beside their own they exist.
void add_shared(FamilySpace& space, const StencilJob& job, std::initializer_list<std::string_view> names,
                const std::optional<search::Expr>& when = std::nullopt);

/// Adds limits on one block: threads, and those of min_blocks blocks.
void add_block_limits(const Rules& rules, const search::Expr& block_threads);
/// Adds limits on a brick of cells of a thread.
void add_brick_limits(const Rules& rules, const search::Expr& cells);
/// Adds that tiles have a power of two of rows: other numbers serve `temporal`, whose tiles have to fit the
/// multiprocessors.
void add_row_rule(const Rules& rules);

/// What a sweep over the array sums.
struct SweptStencil {
  search::Expr applies;  ///< to which configurations
  search::Expr points;
  search::Expr reach_x, reach_y, reach_z;
  bool star = false;
  bool may_roll_planes = false;  ///< whether there is a parameter unroll_planes
};
/// The job's own stencil, swept by a variant.
SweptStencil swept_by(std::string_view variant, const StencilJob& job);

/// Whether the weights fit constant memory.
bool sweeps_apply(const StencilJob& job);
/// Whether `temporal` can compute the job: sums of a level are unrolled: neither reach nor points may be
/// large. The cell itself must be a point, and in three dimensions some point must lie beside it along y.
bool temporal_applies(const StencilJob& job);

/// Whether a reference costs so many operations a cell that checks take fewer cells: that of a large box
/// does.
bool costly(const StencilJob& job);
/// Steps that run one whole launch of `fused` ones and what is left over at the job's own steps, as often as
/// it has any.
std::int64_t checked_steps(std::int64_t steps, std::int64_t fused);
/// Rows of an unpadded array are whole vectors, and those of which the copy engine makes boxes whole pieces
/// of 16 bytes.
std::vector<CheckSize> in_vectors(std::vector<CheckSize> sizes, const StencilJob& job,
                                  const search::Configuration& configuration);
/// Sizes for a variant whose first launch has `fused` time steps: `first`, or what is right for most tiles,
/// and such that few or no cells have all neighbours.
std::vector<CheckSize> sweep_sizes(const StencilJob& job, const search::Configuration& configuration,
                                   std::int64_t fused, std::optional<CheckSize> first = std::nullopt);
/// Those of a sweep for each step.
std::vector<CheckSize> step_sizes(const StencilJob& job, const search::Configuration& configuration);

}  // namespace tune::kernels
