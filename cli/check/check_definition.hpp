// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tuner/backends/emulator/memory/finding.hpp"

namespace tune::cli {

/// Checks some configurations of the definition in this file on the emulator, as 'tune check' does and shows
/// it. `timeout`: of a configuration, as the option takes it. `found` gets each finding. Returns the exit
/// status.
int check_definition(const std::string& file, const std::string& timeout,
                     const std::function<void(const emulator::Finding&)>& found);

}  // namespace tune::cli
