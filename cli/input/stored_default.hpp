// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "db/read/queries.hpp"
#include "search/space/configuration.hpp"

namespace tune::cli {

/// The configuration that the problem of stored results declares as its default, where the problem is known
/// and the configuration valid.
std::optional<search::Configuration> stored_default(const db::Workload& workload);

}  // namespace tune::cli
