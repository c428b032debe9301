// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/evaluation/evaluator.hpp"

namespace tune::replay {

/// Answers from a recording instead of a device: the search is real, the times are the recorded device's.
/// Failures are answered as they were recorded.
class ReplayEvaluator : public Evaluator {
 public:
  explicit ReplayEvaluator(const std::vector<Evaluation>& recorded);

  /// A configuration that the recording lacks is unknown: it is left out, neither stored nor counted.
  void submit(Configuration configuration) override { queue_.push_back(std::move(configuration)); }
  std::optional<Evaluation> next() override;
  void drop() override { queue_.clear(); }

  /// What a device of few cores would ask for: a strategy that learns sees its results early.
  std::size_t window() const override { return 8; }

 private:
  std::unordered_map<std::string, Evaluation> by_key_;
  std::deque<Configuration> queue_;
};

}  // namespace tune::replay
