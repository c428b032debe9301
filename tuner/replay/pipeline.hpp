// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "search/space/search_space.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/evaluation/pipeline_order.hpp"
#include "tuner/replay/simulation.hpp"

namespace tune::replay {

/// The compilers and the device of a run, with recorded outcomes and times and a clock of its own. It takes
/// configurations in the order in which DeviceEvaluator does.
class SimulatedPipeline : public Evaluator {
 public:
  /// All configurations must be recorded. The space and the outcomes must outlive it.
  SimulatedPipeline(const search::SearchSpace& space, const OutcomeTable& outcomes, unsigned compilers);

  void submit(Configuration configuration) override;
  std::optional<Evaluation> next() override;
  void drop() override { queue_.clear(); }
  std::size_t window() const override;
  std::optional<std::size_t> in_flight() const override;

  /// Seconds since the simulation began.
  double now() const { return now_; }
  /// The configuration that `next` returned last.
  search::ConfigurationId latest() const { return latest_; }

 private:
  struct Submitted {
    Configuration configuration;
    search::ConfigurationId id;
    double overdue_at, ready_at;
  };
  bool any_idle() const;
  double next_event(const NextInQueue& next, double starving_at) const;

  const search::SearchSpace& space_;
  const OutcomeTable& outcomes_;
  std::vector<double> free_at_;  ///< of each compiler
  std::deque<Submitted> queue_;
  PipelineLoad load_;
  double now_ = 0;
  search::ConfigurationId latest_ = 0;
};

}  // namespace tune::replay
