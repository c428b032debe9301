// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tuner/session/store.hpp"

namespace tune::testing {

/// Keeps the evaluations of one workload in memory, whatever key it is asked with. They end with the object.
class MemoryStore : public Store {
 public:
  RunId begin_run(const RunRecord&) override { return ++runs; }
  void record(RunId, const Evaluation& evaluation) override { evaluations.push_back(evaluation); }
  void record_rerank(RunId, const RerankResult& value) override { rerank.push_back(value); }
  void end_run(RunId, RunEnd reason) override { end = reason; }
  std::vector<Evaluation> known(const WorkloadKey&) override { return evaluations; }
  RerankResult known_rerank(const WorkloadKey&, Objective) override {
    return rerank.empty() ? RerankResult{} : rerank.back();
  }

  RunId runs = 0;
  std::vector<Evaluation> evaluations;
  std::vector<RerankResult> rerank;
  std::optional<RunEnd> end;
};

}  // namespace tune::testing
