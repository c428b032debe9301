// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// One line of the table of built-in problems.
struct ProblemEntry {
  std::string_view name;
  std::unique_ptr<Problem> (*make)();
};

/// All built-in problems. A new one is a folder here and one line there.
std::span<const ProblemEntry> problems();

/// Throws UsageError that names the nearest known problem.
std::unique_ptr<Problem> make_problem(std::string_view name);

}  // namespace tune::kernels
