// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/described/problem.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/evaluation/evaluation.hpp"

namespace tune::api {

/// Evaluates on the emulator: a right result is a measurement without samples.
class EmulatorEvaluator : public Evaluator {
 public:
  /// Checks at these sizes. The problem must outlive this.
  EmulatorEvaluator(const described::DescribedProblem& problem, std::vector<Instance> instances);

  void submit(search::Configuration configuration) override { queue_.push_back(std::move(configuration)); }
  std::optional<tune::Evaluation> next() override;
  void drop() override;
  /// Returns some batches: a batch is compiled together.
  std::size_t window() const override;

 private:
  void check_queue();

  described::DescribedSources sources_;
  std::vector<Instance> instances_;
  emulator::ProblemJobs jobs_;
  std::deque<search::Configuration> queue_;
  std::deque<emulator::CheckVerdict> verdicts_;  ///< of the first in the queue
};

}  // namespace tune::api
