// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/framework/family.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/rotate/model/job.hpp"
#include "search/expressions/expr.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Pixels of a block's tile along x and y.
struct RotateTile {
  std::int64_t x = 0, y = 0;
};
using RotateVariant = Variant<RotateJob, RotateTile>;

const VariantTable<RotateJob, RotateTile>& rotate_variants();

search::SpaceDefinition rotate_space(const RotateJob& job, const DeviceProperties& device);

const KernelFiles& rotate_kernels();

/// Constants of the space's rules: nx, ny, pixel_bytes, and the cosine and the sine without their signs,
/// rounded up, in units of 2^-20.
Constants rotate_constants(const RotateJob& job);

/// Pixels of a tile, as expressions and for a configuration.
search::Expr tile_x();
search::Expr tile_y();
/// Bytes of shared memory in which a block collects the pixels that it writes; 0 without write=shared.
search::Expr written_bytes();
RotateTile rotate_tile(const RotateJob& job, const Configuration& configuration);

/// Returns the plan of `file` without launches: macros and the buffers `in` and `out`.
LaunchPlan rotate_plan(const RotateJob& job, std::string_view file, const Configuration& configuration,
                       const KernelSources& sources);

/// Adds `arithmetic`. Sets the plan's tolerance where it is half.
void add_arithmetic(FamilySpace& space, const RotateJob& job);
void set_tolerance_of_half(LaunchPlan& plan, const RotateJob& job, const Configuration& configuration);

/// Adds the launch of `entry`: `first`, `out`, the turn, `last`.
void add_rotate_launch(LaunchPlan& plan, const RotateJob& job, const Configuration& configuration,
                       const std::string& entry, std::vector<KernelArgument> first,
                       const std::vector<KernelArgument>& last, std::int64_t box_bytes = 0);

/// Returns how far results may be off where weights have rounding errors of so many pixels along each axis,
/// and values are off by `value` besides, in parts of the range.
Tolerance rotate_tolerance(const RotateJob& job, double weight, double value, std::string derivation);

}  // namespace tune::kernels
