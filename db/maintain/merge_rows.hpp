// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "db/maintain/merge.hpp"
#include "db/maintain/merge_facts.hpp"

namespace tune::db {

/// merge_database in a transaction of the caller: for the .cpp files of this folder only. `runs` gets the
/// target's number of each run of the source. Throws SQLite::Exception.
MergeResult merge_rows(SQLite::Database& target, SQLite::Database& source, const SourceLabel& label,
                       const Clock& clock, IdMap& runs);

}  // namespace tune::db
