// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/input/problem_selection.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/problem/problem_files.hpp"

namespace tune::cli {

/// --input and --output of a run; empty where they were not given.
struct FileChoice {
  std::filesystem::path input, output;
};

void add_file_options(po::options_description& options);

/// Gives the work the extents of --input. Throws UsageError: a problem without files, a file that cannot be
/// read, --size besides, an --output that could not be written, or one without --input.
FileChoice chosen_files(const po::variables_map& values, ProblemSelection& selection);

/// What --input's problem needs of the problem. Throws UsageError where it has no files.
const ProblemFiles& files_of(const Problem& problem);

/// The work with the inputs of the file. Reads all of it.
void take_inputs(const FileChoice& files, ProblemSelection& selection);

/// Runs a configuration once more, compares every element of its outputs with the reference and writes them
/// to --output. Throws Error where that fails.
void write_result(const FileChoice& files, const ProblemSelection& selection,
                  const Configuration& configuration, Backend& backend, const KernelSources& sources);

}  // namespace tune::cli
