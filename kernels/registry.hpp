// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/problem/problem.hpp"

namespace tune::kernels {

// Each is defined in the folder of its problem; stencil/problem.hpp declares the stencils.
std::unique_ptr<Problem> make_conv2d_separable();
std::unique_ptr<Problem> make_histogram();
std::unique_ptr<Problem> make_rotate();
std::unique_ptr<Problem> make_fault_injection();
std::unique_ptr<Problem> make_gemm();
std::unique_ptr<Problem> make_gemm_host();
std::unique_ptr<Problem> make_gemm_stream();
std::unique_ptr<Problem> make_grid_knn();
std::unique_ptr<Problem> make_matvec();
std::unique_ptr<Problem> make_triangle_count();

struct ProblemEntry {
  std::string_view name;
  std::unique_ptr<Problem> (*make)();
};

/// Returns all built-in problems. A new one is a folder here and one line there.
std::span<const ProblemEntry> problems();
/// Those whose kernels run on a GPU.
std::span<const ProblemEntry> gpu_problems();

/// Returns null for a problem that is not built in.
const ProblemEntry* find_problem(std::string_view name);

/// Throws UsageError that names the nearest known problem.
std::unique_ptr<Problem> make_problem(std::string_view name);

/// A built-in problem for the contents of a file.
struct ProblemOfFile {
  std::unique_ptr<Problem> problem;
  std::pair<std::string, std::string> setting;  ///< the setting of the file, with its value
  std::vector<std::string> fixed;               ///< names of all settings that the file fixes
};

/// Returns the problem of `--stencil FILE`. Throws UsageError for a file that cannot be read or belongs to
/// another problem than `name`, unless this is empty.
ProblemOfFile make_problem_of_stencil(const std::string& file, std::string_view name);

}  // namespace tune::kernels
