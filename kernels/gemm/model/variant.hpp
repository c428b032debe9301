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

/// What a block computes in one turn of its loop: m x n elements of the result, k terms of their sums. Checks
/// take sizes of several such tiles and of parts of them.
struct GemmTile {
  std::int64_t m = 0, n = 0, k = 0;
};

using GemmVariant = Variant<GemmJob, GemmTile>;

/// All variants. A new one is a source with one function and a line in this table.
const VariantTable<GemmJob, GemmTile>& gemm_variants();

/// Parameters and constraints of all variants that apply to the job.
search::SpaceDefinition gemm_space(const GemmJob& job, const DeviceProperties& device);

/// The plan of a configuration. Inputs `a` and `b`, output `c`; what else it allocates is scratch.
Result<LaunchPlan> plan_gemm(const GemmJob& job, const Configuration& configuration,
                             const KernelSources& sources);

/// Extents in the kernels' axes.
struct GemmSize {
  std::int64_t m = 0, n = 0, k = 0;
};

/// Small sizes at which a configuration of the job is valid: several tiles and a remainder along each axis,
/// whole tiles, less than a tile, 1.
std::vector<GemmSize> gemm_check_sizes(const GemmJob& job, const Configuration& configuration);

// What the plans and spaces of several variants have in common.

const KernelFiles& gemm_files();

/// Constants of rules that follow from the type: `words` (32-bit words of an element), `alignment` (elements
/// of 16 bytes).
Constants gemm_constants(const GemmJob& job);

/// The value of an expression for a configuration. `defaults`: of parameters that the configuration may lack,
/// because they are newer than whoever made it, as in the kernel file.
std::int64_t gemm_value(const search::Expr& expression, const GemmJob& job,
                        const search::Configuration& configuration, Constants defaults);

/// A matrix of rows x columns in row-major order; with padding, rows of whole 128-byte lines.
Layout matrix_layout(std::int64_t rows, std::int64_t columns, ElementType type, bool padded);

/// `configuration[name]`, or `otherwise` where it lacks the parameter: one that is newer than whoever made
/// the configuration, and whose default in the kernel file is the same.
std::int64_t value_or(const search::Configuration& configuration, std::string_view name,
                      std::int64_t otherwise);

/// Whether the configuration's rows are padded.
bool is_padded(const search::Configuration& configuration);
/// Elements that the rows of the configuration's matrices have to be multiples of: `vector` where they are
/// not padded, else 1.
std::int64_t row_vector(const search::Configuration& configuration);

/// The plan of `file` (`tile.cu`) with the matrices as buffers (`a`, `b` and `c`: the first two as inputs, in
/// their contents if the product is added to them) and no launch. Macros: REAL, ACCUMULATE (beta is not 0),
/// and the configuration's parameters but `variant` and `padded`.
LaunchPlan gemm_plan(const GemmJob& job, std::string_view file, const search::Configuration& configuration,
                     const KernelSources& sources);

/// The launch that computes the product: a block for each tile, and the arguments left, right, result, m, n,
/// k, their pitches (elements), alpha, beta. Alpha and beta are of the matrices' type.
Launch gemm_launch(const GemmJob& job, const search::Configuration& configuration, const char* entry,
                   const GemmTile& tile, Dim3 block, std::int64_t shared_memory);

inline constexpr const char* few_registers = "a thread needs more registers than min_blocks leaves to it";

/// Adds `padded` and the rule that rows of unpadded matrices are whole vectors (`vector` exists already).
void add_padded(FamilySpace& space);
/// Adds what limits a block: threads, registers (an estimate of what the compiler cannot do without), shared
/// memory in bytes.
void add_gemm_limits(FamilySpace& space, const search::Expr& threads, const search::Expr& registers,
                     const search::Expr& shared);
/// Those of the numbers that are at most so large; the first one always is.
std::vector<search::Value> up_to(std::initializer_list<int> numbers, std::int64_t max);
/// Adds `group` for tiles of at least so many rows.
void add_group(FamilySpace& space, const GemmJob& job, std::int64_t min_rows,
               std::optional<search::Value> usual = std::nullopt);
/// Adds the rule that there are so many rows of tiles.
void add_group_rule(FamilySpace& space);

}  // namespace tune::kernels
