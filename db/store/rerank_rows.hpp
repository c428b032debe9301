// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>

#include "tuner/session/store.hpp"

/// Finals as rows of `finals` and `final_rounds`: for the .cpp files of this folder, inside a transaction.
namespace tune::db {

/// Where a place stands.
struct RerankKey {
  RunId run = 0;
  std::int64_t evaluation = 0;
  int place = 0;  ///< from 1
  bool reused = false;
};

void insert_rerank(SQLite::Database& connection, const RerankKey& key, const RerankPlace& place);

/// Of the newest run of the work with finals by that objective: places whose evaluation is still the current
/// one of its configuration, with their rounds alone. See Store::known_rerank.
RerankResult newest_rerank(SQLite::Database& connection, std::int64_t workload, Objective objective);

}  // namespace tune::db
