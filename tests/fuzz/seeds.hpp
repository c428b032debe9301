// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tune::testing {

/// Returns inputs that the fuzz target of this name begins with, most of them sound.
/// Throws std::out_of_range for another name.
const std::vector<std::string>& fuzz_seeds(std::string_view target);

}  // namespace tune::testing
