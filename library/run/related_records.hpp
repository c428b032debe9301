// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "db/store/database.hpp"
#include "search/ask_tell/strategy.hpp"
#include "tuner/session/records.hpp"

namespace tune::run {

/// What a search may start from, and how to say so.
struct RelatedRecords {
  std::vector<search::RelatedRecord> records;  ///< the most alike first
  std::string notice;  ///< one line: `starting from what is known of ...`; empty where there are none
};

/// Of other work of the same problem, in the person's database and in the shipped recordings. A replayed run
/// is not told what its own recording holds.
RelatedRecords related_records(const db::Database& database, const WorkloadKey& key,
                               const search::SearchSpace& space);

}  // namespace tune::run
