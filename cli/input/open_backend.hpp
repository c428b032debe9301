// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/input/command.hpp"
#include "tuner/backends/backend.hpp"

namespace tune::cli {

/// `--timeout`, `--in-process`.
void add_process_options(po::options_description& options);

/// Seconds that a kernel may take. Throws UsageError for what is no time.
double chosen_timeout(const po::variables_map& values);

/// Takes a GPU, its kernels launched and compiled in worker processes unless `--in-process` says otherwise.
/// Throws Error where there is no such device, or no compiler for it.
std::unique_ptr<Backend> open_backend(int number, const po::variables_map& values);

}  // namespace tune::cli
