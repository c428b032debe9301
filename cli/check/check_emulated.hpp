// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/check/check_report.hpp"
#include "cli/input/problem_selection.hpp"

namespace tune::cli {

/// --sanitize and --plain.
void add_emulator_options(po::options_description& options);

/// True for `--device emulator`. Throws UsageError where it stands without, or an option of it without the
/// device.
bool wants_emulator(const po::variables_map& values);

/// Checks the configurations on the CPU: at the size that --size names, else at the problem's odd sizes.
int check_emulated(const po::variables_map& values, const ProblemSelection& selection,
                   const KernelSources& sources, const std::vector<Configuration>& configurations);

}  // namespace tune::cli
