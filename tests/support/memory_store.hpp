// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/session/store.hpp"

namespace tune::testing {

/// Keeps the evaluations of one workload in memory, whatever key it is asked with. They end with the object.
class MemoryStore : public Store {
 public:
  RunId begin_run(const RunRecord&) override { return ++runs; }
  using Store::record;
  void record(RunId, const Evaluation& evaluation, RunId maker) override {
    if (evaluation.reused) return;
    evaluations.push_back(evaluation);
    makers.push_back(maker);
  }
  void record_rerank(RunId, const RerankResult& value) override { rerank.push_back(value); }
  void end_run(RunId, RunEnd reason) override { end = reason; }
  std::vector<Evaluation> known(const WorkloadKey&) override;
  RerankResult known_rerank(const WorkloadKey&, const Objective&) override {
    return rerank.empty() ? RerankResult{} : rerank.back();
  }

  RunId runs = 0;
  std::vector<Evaluation> evaluations;
  std::vector<RunId> makers;  ///< of each
  std::vector<RerankResult> rerank;
  std::optional<RunEnd> end;
};

inline std::vector<Evaluation> MemoryStore::known(const WorkloadKey&) {
  std::map<std::string, Evaluation> current;
  std::map<std::string, int> attempts;
  const auto same_failure = [](const Evaluation& one) {
    return one.configuration.key() + to_string(one.outcome.error().phase).data() + one.outcome.error().reason;
  };
  for (const Evaluation& one : evaluations) {
    if (!one.outcome) attempts[same_failure(one)] += one.attempts;
    const bool accident = !one.outcome && is_accident(one.outcome.error(), one.attempts);
    const auto [at, is_new] = current.try_emplace(one.configuration.key(), one);
    const bool on_accident =
        !at->second.outcome && is_accident(at->second.outcome.error(), at->second.attempts);
    if (!is_new && (!accident || on_accident)) at->second = one;
  }
  std::vector<Evaluation> all;
  for (auto& [key, one] : current) {
    if (!one.outcome) one.attempts = attempts.at(same_failure(one));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace tune::testing
