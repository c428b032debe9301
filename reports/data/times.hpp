// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace tune::reports {

/// Seconds since 1970 of a time of day as the database has it (UTC, `2026-01-31T12:00:00.000Z`); nothing for
/// other text.
std::optional<double> seconds_of(std::string_view utc);

}  // namespace tune::reports
