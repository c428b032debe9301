// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/reference/reference_facts.hpp"

namespace tune::cli {

/// The manual pages, by their file names: tune.1 and tune-COMMAND.1, in roff.
std::vector<std::pair<std::string, std::string>> manual_pages();

/// The page docs/reference/commands.md.
std::string commands_markdown();

}  // namespace tune::cli
