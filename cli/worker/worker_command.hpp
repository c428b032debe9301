// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tune::cli {

/// The worker processes that the program starts of itself: `worker device 0` launches kernels, `worker
/// compiler sm_90` compiles them. They talk over a descriptor, so nobody calls them by hand. Returns the exit
/// status.
int run_worker(const std::vector<std::string>& arguments);

}  // namespace tune::cli
