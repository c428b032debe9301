// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/framework/family.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/gemm/model/job.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// The part of a product that a block computes in a turn of its loop: m x n elements of the result, k terms
/// of their sums. Checked sizes have several such tiles and parts of them.
struct GemmTile {
  std::int64_t m = 0, n = 0, k = 0;
};

using GemmVariant = Variant<GemmJob, GemmTile>;

const VariantTable<GemmJob, GemmTile>& gemm_variants();

search::SpaceDefinition gemm_space(const GemmJob& job, const DeviceProperties& device);

/// Plans a configuration. Inputs `a` and `b`, output `c`; other buffers are scratch.
Result<LaunchPlan> plan_gemm(const GemmJob& job, const Configuration& configuration,
                             const KernelSources& sources);

struct GemmSize {
  std::int64_t m = 0, n = 0, k = 0;
};

/// Returns small sizes, in the kernels' axes, at which a configuration is valid: several tiles and a
/// remainder along each axis, whole tiles, less than a tile, 1.
std::vector<GemmSize> gemm_check_sizes(const GemmJob& job, const Configuration& configuration);

/// Returns the seconds that the product takes at least on the cores that compute scalars, and on tensor
/// cores.
double seconds_on_scalar_cores(const GemmJob& job, const DeviceProperties& device);
double seconds_on_tensor_cores(const GemmJob& job, const DeviceProperties& device);

// Shared by the plans and spaces of several variants.

const KernelFiles& gemm_files();

/// Returns the constants of rules that follow from the type: `words` (32-bit words of an element),
/// `alignment` (elements of 16 bytes).
Constants gemm_constants(const GemmJob& job);

/// Evaluates an expression for a configuration. `defaults` are the values, as in the kernel file, of
/// parameters that an older configuration lacks.
std::int64_t gemm_value(const search::Expr& expression, const GemmJob& job,
                        const search::Configuration& configuration, Constants defaults);

/// Returns a matrix in row-major order; with padding, rows are whole lines of 128 bytes.
Layout matrix_layout(std::int64_t rows, std::int64_t columns, ElementType type, bool padded);

/// Returns `configuration[name]`, or `otherwise` if an older configuration lacks the parameter: its default
/// in the kernel file.
std::int64_t value_or(const search::Configuration& configuration, std::string_view name,
                      std::int64_t otherwise);

bool is_padded(const search::Configuration& configuration);
/// Returns the number that rows of the configuration's matrices must be multiples of [elements]: `vector`
/// without padding, else 1.
std::int64_t row_vector(const search::Configuration& configuration);

/// Returns the plan of `file` (`tile.cu`) without launches. Buffers: inputs `a` and `b`, and `c`, with
/// contents if the product is added to them. Macros: REAL, ACCUMULATE (beta is not 0), and the
/// configuration's parameters but `variant` and `padded`.
LaunchPlan gemm_plan(const GemmJob& job, std::string_view file, const search::Configuration& configuration,
                     const KernelSources& sources);

/// Returns the launch that computes the product, a block for each tile. Arguments: left, right, result, m, n,
/// k, their pitches (elements), alpha and beta (of the matrices' type).
Launch gemm_launch(const GemmJob& job, const search::Configuration& configuration, const char* entry,
                   const GemmTile& tile, Dim3 block, std::int64_t shared_memory);

inline constexpr const char* few_registers = "a thread needs more registers than min_blocks leaves to it";

/// Adds `padded` and the rule that rows of unpadded matrices are whole vectors. `vector` must exist already.
void add_padded(FamilySpace& space);
/// Limits the threads of a block, its registers (an estimate of those that the compiler needs) and its bytes
/// of shared memory.
void add_gemm_limits(FamilySpace& space, const search::Expr& threads, const search::Expr& registers,
                     const search::Expr& shared);
/// Returns the numbers that are at most `max`, but always the first.
std::vector<search::Value> up_to(std::initializer_list<int> numbers, std::int64_t max);
/// Adds `group` for tiles of at least `min_rows` rows.
void add_group(FamilySpace& space, const GemmJob& job, std::int64_t min_rows,
               std::optional<search::Value> usual = std::nullopt);
/// Adds the rule that a group has no more rows of tiles than there are.
void add_group_rule(FamilySpace& space);

}  // namespace tune::kernels
