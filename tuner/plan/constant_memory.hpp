// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// The limit of the `__constant__` variables of a module together, on every device [bytes].
constexpr std::uint64_t max_constant_bytes = 65536;

/// The reason of the failure below.
constexpr const char* constant_memory = "constant memory";

/// Returns the failure of a request whose constants take more than fits, with the line of the first one.
Failure beyond_constant_memory(const CompileRequest& request, std::uint64_t bytes,
                               std::uint64_t limit = max_constant_bytes);

/// Returns the names, without namespaces, that the texts declare as `__constant__`, also through a macro and
/// in parts that the preprocessor leaves out.
std::set<std::string> constant_names(const CompileRequest& request);

}  // namespace tune
