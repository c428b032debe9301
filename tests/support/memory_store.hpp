// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "tuner/session/records.hpp"

namespace tune::testing {

/// Keeps everything in memory, whatever the key: for tests of what stands above a store.
class MemoryStore : public Store {
 public:
  RunId begin_run(const RunRecord&) override { return ++runs; }
  void record(RunId, const Evaluation& evaluation) override { evaluations.push_back(evaluation); }
  void record_finals(RunId, const Finals& value) override { finals.push_back(value); }
  void end_run(RunId, RunEnd reason) override { end = reason; }
  std::vector<Evaluation> known(const WorkKey&) override { return evaluations; }
  Finals known_finals(const WorkKey&, Objective) override {
    return finals.empty() ? Finals{} : finals.back();
  }

  RunId runs = 0;
  std::vector<Evaluation> evaluations;
  std::vector<Finals> finals;
  std::optional<RunEnd> end;
};

}  // namespace tune::testing
