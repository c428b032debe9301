// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "db/read/best.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::reports {

/// A C++17 header that needs nothing else: the configurations, the recorded works with the loss of each in a
/// comment, and `choose(device, ..., extents)`. `instance` has the problem and its settings.
std::string portfolio_header(const ProblemInfo& problem, const Instance& instance,
                             const db::Portfolio& portfolio, double bound);

/// `inline constexpr` text of a value; a missing one is that of the type: 0, false or "".
std::string literal(const search::Value* value, const search::Value& like);

}  // namespace tune::reports
