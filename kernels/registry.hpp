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

/// One line of the table of built-in problems.
struct ProblemEntry {
  std::string_view name;
  std::unique_ptr<Problem> (*make)();
};

/// All built-in problems. A new one is a folder here and one line there.
std::span<const ProblemEntry> problems();

/// Null for a problem that the program does not have.
const ProblemEntry* find_problem(std::string_view name);

/// Throws UsageError that names the nearest known problem.
std::unique_ptr<Problem> make_problem(std::string_view name);

/// A built-in problem made for what a file says.
struct ProblemOfFile {
  std::unique_ptr<Problem> problem;
  std::pair<std::string, std::string> setting;  ///< the one that stands for the file, with its value
  std::vector<std::string> fixed;               ///< the names of all settings that the file fixes
};

/// The problem of `--stencil FILE`. Throws UsageError for a file that cannot be read, or that is of another
/// problem than `name`, unless this is empty.
ProblemOfFile make_problem_of_stencil(const std::string& file, std::string_view name);

}  // namespace tune::kernels
