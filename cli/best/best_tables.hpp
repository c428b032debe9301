// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "db/read/best.hpp"
#include "db/read/queries.hpp"

namespace tune::cli {

/// What --top and --explain add to an answer; without a value where it was not asked for.
struct BestTables {
  std::optional<std::vector<db::ResultRow>> top = {};             ///< the best of the record
  std::optional<std::vector<db::BestCandidate>> considered = {};  ///< the records, the best fit first
  std::vector<std::string> columns = {};                          ///< of `top`; empty: all
};

std::string to_text(const BestTables& tables);
/// The JSON of the answer with the tables.
std::string with_tables(const std::string& json, const BestTables& tables);

/// Null where the match is exact, or no records tell the loss.
nlohmann::ordered_json loss_json(const db::BestCandidate& candidate);

}  // namespace tune::cli
