// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

/// Devices, works and what they refer to, from one database to another: for the .cpp files of this folder
/// only. All throw SQLite::Exception.
namespace tune::db {

/// Numbers there to numbers here.
using IdMap = std::unordered_map<std::int64_t, std::int64_t>;

struct FactMaps {
  IdMap devices, workloads;
};

/// Makes what the target lacks. A fact that differs under one key becomes a line of `conflicts`.
FactMaps merge_facts(SQLite::Database& target, SQLite::Database& source, std::vector<std::string>& conflicts);

/// Lines for works of which the source's runs say another amount or limit than all of the target's: each run
/// keeps its own. Before the runs are merged.
void compare_amounts(SQLite::Database& target, SQLite::Database& source, const IdMap& workloads,
                     std::vector<std::string>& conflicts);

}  // namespace tune::db
