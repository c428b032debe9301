// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "search/space/configuration.hpp"
#include "tuner/backends/emulator/memory/finding.hpp"

namespace tune::described::testing {

/// Checks up to `max` configurations of a definition, evenly spread, on the emulator at its small sizes.
std::vector<emulator::Finding> findings_of(
    const std::filesystem::path& file, std::size_t max,
    const std::vector<std::pair<std::string, search::Value>>& settings = {});

}  // namespace tune::described::testing
