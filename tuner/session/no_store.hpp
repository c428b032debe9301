// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tuner/session/store.hpp"

namespace tune {

/// Keeps nothing: for runs whose results are not those of a device.
class NoStore : public Store {
 public:
  RunId begin_run(const RunRecord&) override { return 0; }
  void record(RunId, const Evaluation&) override {}
  void record_rerank(RunId, const RerankResult&) override {}
  void end_run(RunId, RunEnd) override {}
  std::vector<Evaluation> known(const WorkloadKey&) override { return {}; }
  RerankResult known_rerank(const WorkloadKey&, Objective) override { return {}; }
};

}  // namespace tune
