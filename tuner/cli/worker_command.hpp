// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/process/peer.hpp"

namespace tune::cli {

/// The worker processes that the program starts of itself: `worker device 0` launches kernels, `worker
/// compiler sm_90` compiles them. They talk over a descriptor, so nobody calls them by hand. Returns the exit
/// status.
int run_worker(const std::vector<std::string>& arguments);

/// The program to start for workers: $TUNE_WORKER, else `tune` beside the running program; nothing where
/// there is none.
std::optional<std::filesystem::path> worker_program();

}  // namespace tune::cli
