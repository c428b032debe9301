// SPDX-License-Identifier: Apache-2.0
#include "reports/data/rerank_json.hpp"

#include <algorithm>
#include <string>

#include "tuner/serialization/json.hpp"

namespace tune::reports {
namespace {

struct RerankMember {
  std::string_view name;
  nlohmann::ordered_json (*value)(const RerankedCandidate& candidate);
};

constexpr RerankMember rerank_members[] = {
    {"run", [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.standing.run); }},
    {"place", [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.standing.place); }},
    {"configuration", [](const RerankedCandidate& one) { return json_object(one.configuration.entries()); }},
    {"tied", [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.standing.tied); }},
    {"seconds",
     [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.standing.time.median); }},
    {"low_seconds",
     [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.standing.time.low); }},
    {"high_seconds",
     [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.standing.time.high); }},
    {"confidence",
     [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.standing.time.confidence); }},
    {"ratio", [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.standing.ratio.median); }},
    {"low_ratio",
     [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.standing.ratio.low); }},
    {"high_ratio",
     [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.standing.ratio.high); }},
    {"rounds", [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.standing.rounds); }},
    {"round_seconds", [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.round_seconds); }},
    {"reused", [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.reused); }},
    {"joules", [](const RerankedCandidate& one) { return nlohmann::ordered_json(one.joules); }},
};

}  // namespace

nlohmann::ordered_json rerank_json(const RerankedCandidate& candidate,
                                   std::initializer_list<std::string_view> members) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const std::string_view name : members) {
    if (name == "joules" && !(candidate.joules > 0)) continue;
    const auto* const member = std::ranges::find(rerank_members, name, &RerankMember::name);
    object[std::string(name)] = member->value(candidate);
  }
  return object;
}

}  // namespace tune::reports
