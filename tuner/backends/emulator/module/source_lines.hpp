// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tuner/backends/emulator/memory/finding_log.hpp"
#include "tuner/backends/emulator/module/loaded_module.hpp"

namespace tune::emulator {

/// Turns addresses in a module into lines of the kernel's files, by `addr2line`, which comes with g++: the
/// line of the access, then those of the functions that it was inlined into. Without `addr2line` the findings
/// have no lines.
std::vector<Finding> with_source_lines(std::vector<NotedFinding> noted, const LoadedModule& module);

}  // namespace tune::emulator
