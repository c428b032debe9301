// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/input/problem_selection.hpp"
#include "db/read/best.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::cli {

/// The record that was chosen for a question, and where it lies.
struct BestAnswer {
  const ProblemSelection& selection;
  const db::BestCandidate& candidate;
  std::filesystem::path database;
  bool shipped;  ///< from a recording that came with the program
  Objective objective;
  const KernelSources& sources;  ///< of the problem
};

/// For people: configuration, time, and why this record.
std::string best_text(const BestAnswer& answer);
/// One object; times in seconds.
std::string best_json(const BestAnswer& answer);
/// One line of `-DNAME=VALUE`, quoted for a shell: what the problem's kernel file is compiled with.
std::string best_flags(const BestAnswer& answer);
/// A C++ header with one constant a parameter.
std::string best_header(const BestAnswer& answer);
/// Constants of a header: grid, block and dynamic shared memory of every kernel launch, the extents of every
/// Fourier transform, each with the number of the step.
std::string launch_constants(const LaunchPlan& plan);

}  // namespace tune::cli
