// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tune::testing {

/// Compares with tests/golden/`name`. With TUNE_UPDATE_GOLDEN=1 in the environment the file is written anew
/// instead, and the change shows in the next diff.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace tune::testing
