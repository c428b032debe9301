// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/sandbox.hpp"
#include "tuner/session/store.hpp"

namespace tune::testing {

/// The summary of a replayed run at 64^3 with `more` options, which must succeed.
nlohmann::json json_run(const Sandbox& sandbox, std::vector<std::string> more);

/// The evaluations that a run saw, in order.
std::vector<std::int64_t> trace(const Sandbox& sandbox, RunId run);
/// The same as keys of configurations.
std::vector<std::string> configurations(const Sandbox& sandbox, RunId run);

}  // namespace tune::testing
