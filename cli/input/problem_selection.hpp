// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/input/command.hpp"
#include "search/space/search_space.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::cli {

/// What a person asks to be computed: --problem (a name, or the file of a definition), --size and --set.
struct ProblemSelection {
  std::unique_ptr<Problem> problem;
  Instance instance;
};

void add_problem_options(po::options_description& options);
/// Throws UsageError: no or an unknown problem, a size or setting that cannot be.
ProblemSelection selected_problem(const po::variables_map& values);

/// Which part of the space is wanted: --fix and --where.
struct SpaceChoice {
  std::vector<std::pair<std::string, Value>> pinned;
  std::string where;
};

void add_space_options(po::options_description& options);
SpaceChoice chosen_space(const po::variables_map& values);

/// The part of the problem's space that was chosen. Throws UsageError: an unknown parameter or name, an
/// expression that cannot be read, or a choice that leaves nothing.
search::SearchSpace build_space(const ProblemSelection& selection, const DeviceProperties& device,
                                const SpaceChoice& choice);

/// The kernel files: of a definition its own; of other problems --kernel-dir, else the embedded ones. The
/// problem must outlive them.
void add_kernel_dir_option(po::options_description& options);
std::unique_ptr<KernelSources> chosen_sources(const po::variables_map& values, const Problem& problem);
/// Of built-in problems.
std::unique_ptr<KernelSources> chosen_sources(const po::variables_map& values);

}  // namespace tune::cli
