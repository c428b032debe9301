// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// Returns the expressions in `__cluster_dims__(2, 1, 1)` by the names of the kernels, without scope, that
/// have it. An attribute of which no kernel is found, as one in a macro, has an empty name.
std::map<std::string, std::string> cluster_extents(const CompileRequest& request);

}  // namespace tune::emulator
