// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "tuner/plan/launch_plan.hpp"
#include "tuner/problem/instance.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::cli {

/// A configuration at a size, for build systems and languages.
struct BestFacts {
  const Instance& instance;
  std::string device;
  std::string architecture;  ///< `sm_90`
  const Configuration& configuration;
  const LaunchPlan& plan;
  std::filesystem::path kept;  ///< the kernel's source below --keep-sources; empty for none
};

/// Assignments of a shell: TUNE_PROBLEM, TUNE_PARAMETER_block_x, TUNE_LAUNCH_0_GRID and more.
std::string best_env(const BestFacts& facts);
/// The same names as variables of CMake.
std::string best_cmake(const BestFacts& facts);
/// A dictionary `best`.
std::string best_python(const BestFacts& facts);
/// Constants of a module.
std::string best_rust(const BestFacts& facts);
/// The arguments of nvcc, in one line: architecture, options, the kept source, in which the parameters stand
/// as macros. Throws UsageError where no source is kept.
std::string best_nvcc(const BestFacts& facts);

}  // namespace tune::cli
