// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/input/options.hpp"
#include "search/space/search_space.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/problem/problem_files.hpp"

namespace tune::cli {

/// What a person asks to be computed; empty where it was not given.
struct ProblemOptions {
  std::string problem;  ///< a name, or the file of a definition
  std::string size;
  std::string stencil;  ///< file
  Assignments settings;

  void add_to(OptionTable& table);
};

struct ProblemSelection {
  std::unique_ptr<Problem> problem;
  Instance instance;
  std::vector<std::string> settings_of_file = {};  ///< names of those that --stencil fixes
};

/// Throws UsageError: no or an unknown problem, a size or setting that cannot be.
ProblemSelection selected_problem(const ProblemOptions& options);

/// Which part of the space is wanted: --fix and --where.
struct SpaceChoice {
  Assignments pinned;
  std::string where;

  void add_to(OptionTable& table);
  /// The definition with both. Throws UsageError for an unknown parameter or an expression that cannot be
  /// read.
  search::SpaceDefinition applied_to(search::SpaceDefinition definition) const;
};

/// The part of the problem's space that was chosen. Throws UsageError: an unknown parameter or name, an
/// expression that cannot be read, or a choice that leaves nothing.
search::SearchSpace build_space(const ProblemSelection& selection, const DeviceProperties& device,
                                const SpaceChoice& choice);

void add_kernel_dir_option(OptionTable& table, std::string& folder);
/// The kernel files: of a description its own; of other problems those of --kernel-dir, else the embedded
/// ones. The problem must outlive them.
std::unique_ptr<KernelSources> chosen_sources(const Problem& problem, const std::string& kernel_folder = {});

/// --input and --output of a run; empty where they were not given.
struct FileChoice {
  std::filesystem::path input, output;

  void add_to(OptionTable& table);
};

/// Gives the work the extents of --input. Throws UsageError: a problem without files, a file that cannot be
/// read, --size besides, an --output that could not be written, or one without --input.
void take_extents(const FileChoice& files, const ProblemOptions& options, ProblemSelection& selection);

/// What --input's problem needs of the problem. Throws UsageError where it has no files.
const ProblemFiles& files_of(const Problem& problem);

/// The work with the inputs of the file. Reads all of it.
void take_inputs(const FileChoice& files, ProblemSelection& selection);

/// Runs a configuration once more, compares every element of its outputs with the reference and writes them
/// to --output. Throws Error where that fails.
void write_result(const FileChoice& files, const ProblemSelection& selection,
                  const Configuration& configuration, Backend& backend, const KernelSources& sources);

}  // namespace tune::cli
