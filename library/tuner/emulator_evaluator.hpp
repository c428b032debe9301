// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::api {

/// Evaluates on the emulator: a right result is a measurement without samples.
class EmulatorEvaluator : public Evaluator {
 public:
  /// Checks at the size, or where `small` at the problem's small ones, if it has any. Problem and sources
  /// must outlive this.
  EmulatorEvaluator(const tune::Problem& problem, const KernelSources& sources, Instance instance,
                    bool small);

  void submit(search::Configuration configuration) override { queue_.push_back(std::move(configuration)); }
  std::optional<tune::Evaluation> next() override;
  void drop() override;
  /// Returns some batches: a batch is compiled together.
  std::size_t window() const override;

 private:
  void check_queue();
  std::vector<Instance> sizes_of(const search::Configuration& configuration) const;

  const tune::Problem& problem_;
  Instance instance_;
  bool small_;
  emulator::ProblemJobs jobs_;
  std::deque<search::Configuration> queue_;
  std::deque<emulator::CheckVerdict> verdicts_;  ///< of the first in the queue
};

}  // namespace tune::api
