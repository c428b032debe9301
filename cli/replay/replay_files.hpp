// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/replay/replay_text.hpp"

namespace tune::cli {

/// Everything of a comparison, as docs/replay.md describes it.
std::string to_json(const ReplayReport& report);

/// A row for each space (or group), strategy and budget.
std::string to_csv(const ReplayReport& report);

}  // namespace tune::cli
