// SPDX-License-Identifier: Apache-2.0
#include "reports/data/rerank_json.hpp"

#include <string>

#include "tuner/serialization/json.hpp"

namespace tune::reports {

nlohmann::ordered_json rerank_json(const RerankedCandidate& candidate,
                                   std::initializer_list<std::string_view> members) {
  const db::RerankStanding& standing = candidate.standing;
  const nlohmann::ordered_json all = {{"run", standing.run},
                                      {"place", standing.place},
                                      {"configuration", json_object(candidate.configuration.entries())},
                                      {"tied", standing.tied},
                                      {"seconds", standing.time.median},
                                      {"low_seconds", standing.time.low},
                                      {"high_seconds", standing.time.high},
                                      {"confidence", standing.time.confidence},
                                      {"ratio", standing.ratio.median},
                                      {"low_ratio", standing.ratio.low},
                                      {"high_ratio", standing.ratio.high},
                                      {"rounds", standing.rounds},
                                      {"round_seconds", candidate.round_seconds},
                                      {"reused", candidate.reused},
                                      {"joules", candidate.joules}};
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const std::string_view name : members)
    if (name != "joules" || candidate.joules > 0) object[std::string(name)] = all.at(std::string(name));
  return object;
}

}  // namespace tune::reports
