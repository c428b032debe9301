// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/framework/family.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/matvec/model/job.hpp"
#include "search/expressions/expr.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

struct MatvecCheck {
  bool whole_rows = false;  ///< a block takes whole rows
};

using MatvecVariant = Variant<MatvecJob, MatvecCheck>;

inline constexpr auto check_part_of_rows = [](const MatvecJob&, const Configuration&) {
  return MatvecCheck{};
};
inline constexpr auto check_whole_rows = [](const MatvecJob&, const Configuration&) {
  return MatvecCheck{.whole_rows = true};
};
/// True for jobs with both products.
inline constexpr auto computes_both = [](const MatvecJob& job) { return job.op == MatvecJob::Op::ata; };

const VariantTable<MatvecJob, MatvecCheck>& matvec_variants();

search::SpaceDefinition matvec_space(const MatvecJob& job, const DeviceProperties& device);

/// Kernels count rows and columns in 32 bits, and beyond the end by up to a batch or a tile.
inline constexpr std::int64_t max_matvec_rows = (std::int64_t{1} << 31) - (1 << 12);
inline constexpr std::int64_t max_matvec_columns = (std::int64_t{1} << 31) - (1 << 17);

/// The cut of the matrix into strips of rows and tiles of columns (strip.cuh).
struct MatvecShape {
  std::int64_t block_x = 1, block_y = 1, vector = 1, unroll_x = 1, unroll_y = 1, stages = 1;
  bool stored_in_shared = false, x_shared = false;
  std::int64_t tile = 1;        ///< columns of a block
  std::int64_t batch = 1;       ///< rows of a block at a time
  std::int64_t row_block = 1;   ///< rows of a block
  std::int64_t slices = 1;      ///< tiles beside each other
  std::int64_t row_blocks = 1;  ///< strips below each other

  MatvecShape(const MatvecJob& job, const search::Configuration& configuration);

  std::int64_t threads() const { return block_x * block_y; }
};

// The same quantities as expressions.
search::Expr matvec_tile();
search::Expr matvec_batch();
search::Expr matvec_slices();
search::Expr matvec_row_blocks();
/// Returns the elements of dynamic shared memory of a kernel that computes products with x, sums over rows,
/// or both.
search::Expr matvec_shared(bool products, bool sums);

// Shared by the plans of several variants.

/// Returns the distance of rows [elements]: whole lines if rows are padded.
std::int64_t matvec_pitch(const MatvecJob& job, bool padded);

const KernelFiles& matvec_kernels();

/// Returns the plan of `file` (`fused.cu`) without launches: macros from the configuration's parameters, and
/// the buffers `a`, `x`, `y` and `z` that the job has. Failure if a size exceeds the kernels' indices.
Result<LaunchPlan> matvec_plan(const MatvecJob& job, const MatvecShape& shape, std::string_view file,
                               const Configuration& configuration, const KernelSources& sources);

std::int64_t partial_pitch(std::int64_t length);
void add_partial_sums(LaunchPlan& plan, const MatvecJob& job, std::string name, std::int64_t count,
                      std::int64_t length);

/// Returns the warps of a block of reduce_launch; the default if the configuration has none.
std::int64_t reduce_parts(const Configuration& configuration);
/// Computes out = sum of the `count` rows of `sums`.
Launch reduce_launch(const std::string& sums, const std::string& out, std::int64_t count, std::int64_t length,
                     std::int64_t parts);
Launch clear_launch(const std::string& out, std::int64_t length);

/// Returns a launch of a block for each tile of each strip, without arguments; `shared` counts elements.
Launch block_launch(std::string entry, const MatvecShape& shape, const search::Expr& shared,
                    const MatvecJob& job, const Configuration& configuration);

/// Adds a launch that leaves sums over strips, the steps before and after it, and their buffers. `launch` has
/// its first arguments; the rest are sums, z, `others`, the grid's barrier, rows, columns, pitch, strip,
/// sums' pitch.
void add_summed_launch(LaunchPlan& plan, const MatvecJob& job, const MatvecShape& shape,
                       const Configuration& configuration, Launch launch,
                       const std::vector<KernelArgument>& others);

}  // namespace tune::kernels
