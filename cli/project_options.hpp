// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/input/command.hpp"

namespace tune::cli {

/// Takes `--config-file FILE` and `--no-config-file`, which every command has, out of the arguments, and
/// returns what the project file has for the command; nothing where there is no file. Throws UsageError for
/// keys that no command has, with their line.
FileOptions project_options(const Command& command, std::vector<std::string>& arguments);

}  // namespace tune::cli
