// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "db/store/database.hpp"

namespace tune::testing {

/// Returns the contents of a database, a line each, without numbers of rows and origins of runs: equal for
/// databases of equal contents.
std::multiset<std::string> contents(const db::Database& database);

/// Empty where SQLite, the foreign keys and our own rules find nothing wrong.
std::string damage(const db::Database& database);

}  // namespace tune::testing
