// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/input/options.hpp"
#include "search/space/search_space.hpp"
#include "tuner/backends/backend.hpp"
#include "tuner/problem/problem.hpp"
#include "tuner/problem/problem_files.hpp"

namespace tune::cli {

/// The options that name a problem; empty where they were not given.
struct ProblemOptions {
  std::string problem;  ///< a name, or the file of a definition
  std::string size;
  std::string stencil;  ///< a file
  Assignments settings;
  std::string reference;  ///< of a definition: `none`, or `same:` and parameters

  /// With `lists`, --size takes several sizes and a setting several values.
  void add_to(OptionTable& table, bool lists = false);
  /// Adds --reference, for commands that compare results.
  void add_reference_to(OptionTable& table);
};

/// The options that name this work in another command, quoted for a shell: `--problem P --size S --set N=V`,
/// with
/// `--cache` and `--objective` where they are not the default. What is empty is left out.
std::string work_options(const ProblemOptions& options, CacheState cache, const Objective& objective);

struct ProblemSelection {
  std::unique_ptr<Problem> problem;
  Instance instance;
  std::vector<std::string> settings_of_file = {};  ///< the names of those that --stencil fixes
};

/// Throws UsageError for a missing or unknown problem, and for an impossible size or setting.
ProblemSelection selected_problem(const ProblemOptions& options);

/// The chosen part of the space: --fix and --where.
struct SpaceChoice {
  Assignments pinned;
  std::string where;

  void add_to(OptionTable& table);
  /// The definition with both. Throws UsageError for an unknown parameter or an expression that cannot be
  /// read.
  search::SpaceDefinition applied_to(search::SpaceDefinition definition) const;
};

/// The chosen part of the problem's space. Throws as SpaceChoice::applied_to, and UsageError where nothing is
/// left.
search::SearchSpace build_space(const ProblemSelection& selection, const DeviceProperties& device,
                                const SpaceChoice& choice);

void add_kernel_dir_option(OptionTable& table, std::string& folder);
/// The kernel files: a description's own; for other problems those of --kernel-dir, else the embedded ones.
/// The problem must outlive them. Throws UsageError for --kernel-dir with a description.
std::unique_ptr<KernelSources> chosen_sources(const Problem& problem, const std::string& kernel_folder = {});

/// What the results of the problem's kernels are compared with, for users.
std::string compared_with(const Problem& problem);

/// --input and --out of a run; empty where they were not given.
struct FileChoice {
  std::filesystem::path input, output;

  void add_to(OptionTable& table);
};

/// Tells what of the file does not count, if anything.
void tell_remark(const ProblemFiles& files, const std::filesystem::path& input);

/// Gives the selection the extents of --input. Throws UsageError for a problem without files, a file that
/// cannot be read, --size as well, an --out that could not be written, and --out without --input.
void take_extents(const FileChoice& files, const ProblemOptions& options, ProblemSelection& selection);

/// The problem's files. Throws UsageError where it has none.
const ProblemFiles& files_of(const Problem& problem);

/// Replaces the problem by one with the inputs of the file, all of which it reads.
void take_inputs(const FileChoice& files, ProblemSelection& selection);

/// Runs a configuration again, compares every element of its outputs with the reference and writes them to
/// --out. Throws Error where that fails.
void write_result(const FileChoice& files, const ProblemSelection& selection,
                  const Configuration& configuration, Backend& backend, const KernelSources& sources);

}  // namespace tune::cli
