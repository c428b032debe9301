// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tuner/session/records.hpp"

namespace tune {

/// Keeps evaluations. Every `record` is durable when it returns: a killed program loses at most the
/// evaluation in flight. Throws Error for a broken database.
class Store {
 public:
  virtual ~Store() = default;
  virtual RunId begin_run(const RunRecord& run) = 0;
  virtual void record(RunId run, const Evaluation& evaluation) = 0;
  /// Keeps the places of finals, as those of this run. Each configuration has an evaluation under the run's
  /// key.
  virtual void record_rerank(RunId run, const RerankResult& rerank) = 0;
  virtual void end_run(RunId run, RunEnd end) = 0;
  /// The newest evaluation of every configuration under the key (device model, driver, compiler, source,
  /// origin and cache state equal), without samples' order guaranteed across runs.
  virtual std::vector<Evaluation> known(const WorkloadKey& key) = 0;
  /// The newest finals under the key and objective, without places whose configuration was evaluated again
  /// since, and without failures. Empty places where there are none.
  virtual RerankResult known_rerank(const WorkloadKey& key, Objective objective) = 0;
};

}  // namespace tune
