// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/input/command.hpp"

namespace tune::cli {

/// `tune data generate`, `tune data check`.
const Command& data_command();

}  // namespace tune::cli
