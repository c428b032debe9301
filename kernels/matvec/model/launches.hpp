// SPDX-License-Identifier: Apache-2.0
// What the plans of several variants have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/matvec/model/job.hpp"
#include "kernels/matvec/model/shape.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Elements of a row and what lies between it and the next one: whole lines where rows are padded.
std::int64_t matvec_pitch(const MatvecJob& job, bool padded);

const KernelFiles& matvec_kernels();

/// The plan of `file` (`fused.cu`) without launches: the configuration's parameters as macros, and the
/// buffers `a`, `x`, `y` and `z` as the job has them. Failure where a size is beyond what the kernels'
/// indices hold.
Result<LaunchPlan> matvec_plan(const MatvecJob& job, const MatvecShape& shape, std::string_view file,
                               const Configuration& configuration, const KernelSources& sources);

/// Rows of partial sums of vectors of `length`: their pitch.
std::int64_t partial_pitch(std::int64_t length);
/// Adds scratch memory for `count` such rows.
void add_partial_sums(LaunchPlan& plan, const MatvecJob& job, std::string name, std::int64_t count,
                      std::int64_t length);

/// Warps of a block of reduce_launch; those of the default where nothing is reduced that way.
std::int64_t reduce_parts(const Configuration& configuration);
/// out = sum of the `count` rows of `sums`.
Launch reduce_launch(const std::string& sums, const std::string& out, std::int64_t count, std::int64_t length,
                     std::int64_t parts);
/// out = 0.
Launch clear_launch(const std::string& out, std::int64_t length);

/// A launch of a block for each tile of each strip, without arguments; `shared` counts elements.
Launch block_launch(std::string entry, const MatvecShape& shape, const search::Expr& shared,
                    const MatvecJob& job, const Configuration& configuration);

/// Adds a launch that leaves sums over strips, what comes before and after it, and their buffers. Its
/// arguments become: those that it has, sums, z, `others`, the grid's barrier, rows, columns, pitch, strip,
/// sums' pitch.
void add_summed_launch(LaunchPlan& plan, const MatvecJob& job, const MatvecShape& shape,
                       const Configuration& configuration, Launch launch,
                       const std::vector<KernelArgument>& others);

}  // namespace tune::kernels
