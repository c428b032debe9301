// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "db/read/queries.hpp"

namespace tune::reports {

/// A candidate that was timed again, beside its standing; of what is not known nothing is shown.
struct RerankedCandidate {
  const db::RerankStanding& standing;
  const search::Configuration& configuration;
  std::vector<double> round_seconds = {};
  bool reused = false;  ///< the rounds are of an earlier run
  double joules = 0;    ///< 0 where it was not measured
};

/// These members of all that is known of a candidate, in this order: `run`, `place`, `configuration`, `tied`,
/// `seconds`, `low_seconds`, `high_seconds`, `confidence`, `ratio`, `low_ratio`, `high_ratio`, `rounds`,
/// `round_seconds`, `reused`, `joules` (left out where it was not measured).
nlohmann::ordered_json rerank_json(const RerankedCandidate& candidate,
                                   std::initializer_list<std::string_view> members);

}  // namespace tune::reports
