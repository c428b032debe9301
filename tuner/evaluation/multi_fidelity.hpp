// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/space/search_space.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/evaluation/evaluation.hpp"

namespace tune {

/// How the times of one instance follow from those of a cheaper one, learned from configurations that were
/// measured at both. A group of configurations, such as a variant, has a ratio of its own.
class FidelityRatio {
 public:
  /// `nominal`: the ratio of the times that the amount of work lets expect.
  void add(const std::string& group, double nominal, double low_seconds, double full_seconds);

  /// The expected time, and a smaller one that a configuration of the group rarely beats.
  struct Estimate {
    double seconds = 0;
    double optimistic = 0;
  };
  Estimate estimate(const std::string& group, double nominal, double low_seconds) const;
  /// False where the instances do not agree well enough: the cheaper one then says too little.
  bool is_usable(const std::string& group) const;
  /// Returns how many configurations were measured at both.
  std::size_t pairs() const;

 private:
  struct Group {
    std::vector<double> logs;  ///< of measured by nominal ratio
    double mean() const;
    double deviation(double mean) const;
  };
  double mean_of(const std::string& group) const;
  double deviation_of(const std::string& group) const;
  std::map<std::string, Group> groups_;
};

/// Evaluates configurations at a cheaper instance of the problem (Problem::low_fidelity), and at the instance
/// itself only those that may be as fast as the best one so far. The others get an estimate
/// (Evaluation::estimate). A configuration that is not valid at the cheaper instance is evaluated at the
/// instance itself, and so are all of a group in which the two instances do not agree.
///
/// Multi-fidelity search; the choice of what to promote follows the idea of successive halving (K. Jamieson
/// and A. Talwalkar, AISTATS 2016), without its rounds: nobody waits.
class MultiFidelityEvaluator : public Evaluator {
 public:
  struct Options {
    search::SearchSpace low_space;  ///< of the cheaper instance
    /// Returns the nominal ratio of a configuration's time at the instance itself to that at the cheaper one.
    std::function<double(const Configuration&)> ratio;
    std::string group = {};     ///< the parameter whose value names a configuration's group; empty: one group
    bool reproducible = false;  ///< as DeviceEvaluatorOptions: the order does not depend on times
  };

  MultiFidelityEvaluator(std::unique_ptr<DeviceEvaluator> low, std::unique_ptr<DeviceEvaluator> full,
                         Options options);

  void know_low_fidelity(std::vector<Evaluation> evaluations) override;

  void submit(Configuration configuration) override;
  std::optional<Evaluation> next() override;
  void drop() override;
  void stop_when(Stops stops) override;
  void when_busy(std::function<void(Activity, std::size_t)> tell) override;
  std::size_t window() const override { return full_->window(); }
  std::optional<std::size_t> in_flight() const override;
  std::string notice() const override;
  std::vector<DeviceShare> devices() const override;
  DeviceNews take_news() override;
  RerankDevice* rerank_device() override { return full_->rerank_device(); }

  const FidelityRatio& ratio() const { return ratio_; }

 private:
  std::string group_of(const Configuration& configuration) const;
  bool starts_low(const Configuration& configuration) const;
  std::optional<bool> take_turn();
  std::optional<Evaluation> judged(Evaluation low);
  std::optional<Evaluation> next_of_devices(std::optional<Evaluation>& low);
  Evaluation with_low_fidelity(Evaluation full);

  std::unique_ptr<DeviceEvaluator> low_, full_;
  Options options_;
  FidelityRatio ratio_;
  std::optional<double> fastest_;  ///< seconds at the instance itself
  int not_promoted_ = 0;           ///< near the best
  std::unordered_map<std::string, Evaluation> known_;
  std::deque<Evaluation> answered_;  ///< submitted, and known at the cheaper instance
  std::deque<bool> order_;           ///< of what was submitted to the two: true at the cheaper instance
  std::unordered_map<std::string, Evaluation> promoted_;  ///< and not yet evaluated at the instance itself
};

}  // namespace tune
