// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

/// Copies devices, workloads and what they refer to from one database to another: for the .cpp files of this
/// folder only. All throw SQLite::Exception.
namespace tune::db {

/// Maps numbers of the source to numbers of the target.
using IdMap = std::unordered_map<std::int64_t, std::int64_t>;

struct FactMaps {
  IdMap devices, workloads;
};

/// Makes the rows that the target lacks. A value that differs under one key becomes a line of `conflicts`.
FactMaps merge_facts(SQLite::Database& target, SQLite::Database& source, std::vector<std::string>& conflicts);

/// Adds a line for each workload whose cost or limit in the source's runs differs from all of the target's;
/// each run keeps its own. To be called before the runs are merged.
void compare_amounts(SQLite::Database& target, SQLite::Database& source, const IdMap& workloads,
                     std::vector<std::string>& conflicts);

}  // namespace tune::db
