// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/input/problem_selection.hpp"
#include "tuner/problem/instance.hpp"

namespace tune::cli {

/// The works that a call of `tune run` names: a work for each size and each combination of the settings'
/// values, the last setting varying fastest. Throws UsageError for a list that has an empty part.
std::vector<ProblemOptions> works_of(const ProblemOptions& options);

/// The works in a file: on each line a problem and its --size, --set and --stencil, as on the command line;
/// lists make several works. Text after # is ignored. Throws UsageError with the line's number.
std::vector<ProblemOptions> works_in_file(const std::filesystem::path& path);

/// The works of --works where that is given, else those that the options name. Throws UsageError as the two
/// functions above, and for a call that names both.
std::vector<ProblemOptions> chosen_works(const ProblemOptions& options, const std::string& works_file);

/// The line of such a file that names this work. Throws UsageError for a path that has no place in it.
std::string work_line(const ProblemOptions& work);

/// Works with different instances, in the order given.
struct DifferentWorks {
  std::vector<ProblemOptions> works;
  std::vector<Instance> instances;  ///< of each
};

/// Throws UsageError for a work that cannot be.
DifferentWorks different_works(std::vector<ProblemOptions> works);

}  // namespace tune::cli
