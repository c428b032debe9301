// SPDX-License-Identifier: Apache-2.0
// The steps of a command plan, each with what it ended in as a failure.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "tuner/base/failure.hpp"
#include "tuner/measurement/timing.hpp"
#include "tuner/plan/command_plan.hpp"

namespace tune::host {

/// An execution of the command of a plan.
struct Execution {
  double seconds = 0;        ///< that count
  double whole_seconds = 0;  ///< from the start of the program to its end
  Metrics metrics = {};
  std::string output = {};  ///< standard output
};

/// Limits of a step. `stop` is asked several times a second: true ends it in Failure{crash, run_ended}.
struct StepLimits {
  double seconds = 0;
  std::function<bool()> stop = {};
};

/// Copies the plan's files into a folder. Failure{resources, disk}; throws UsageError for a file that is not
/// there.
Result<void> copy_files(const CommandPlan& plan, const std::filesystem::path& to);
/// Failure{compile} where the command fails, {timeout, slow_compiler}.
Result<void> build(const CommandPlan& plan, const std::filesystem::path& folder, const StepLimits& limits);
/// Failure{launch} where the command does not exist, ends with another status than 0 that is no result, or
/// prints no result; {crash} where a signal ends it; {timeout}.
Result<Execution> execute(const CommandPlan& plan, const std::filesystem::path& folder,
                          const StepLimits& limits);
/// Compares the output, and asks the checking command. Failure{verify}. Returns the largest difference.
Result<double> check(const CommandPlan& plan, const std::filesystem::path& folder, const Execution& execution,
                     const StepLimits& limits);

}  // namespace tune::host
