// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/ask_tell/visited.hpp"
#include "search/models/candidates.hpp"
#include "search/models/encoding.hpp"
#include "search/models/prior_means.hpp"

namespace tune::search {

/// All results of a search, from which models learn.
struct Evidence {
  /// `size` is the number of configurations of the space.
  explicit Evidence(ConfigurationId size) : seen(size) {}

  struct Evaluated {
    ConfigurationId id = 0;
    std::vector<Level> levels;
    std::optional<double> cost;
    double seconds = 0;  ///< that evaluating it took; 0: not known
    double gain = 0;     ///< on the best before it, as a share; 1 for the first that succeeded
  };

  std::vector<Evaluated> evaluated;  ///< in the order in which it was told
  std::vector<std::size_t> good;     ///< places in `evaluated` of what succeeded
  std::size_t best = 0;              ///< place of the lowest cost, where something succeeded
  Visited seen;                      ///< asked for or told; its costs are not used
  std::unordered_map<ConfigurationId, std::vector<Level>> pending;  ///< asked for and not told

  const Evaluated& best_one() const { return evaluated[best]; }

  void add(Evaluated one) {
    pending.erase(one.id);
    seen.take(one.id);
    if (one.cost) {
      if (good.empty() || *one.cost < *evaluated[best].cost) {
        one.gain = good.empty() ? 1 : 1 - *one.cost / *evaluated[best].cost;
        best = evaluated.size();
      }
      good.push_back(evaluated.size());
    }
    evaluated.push_back(std::move(one));
  }
};

/// Predicts the seconds of an evaluation from those of others: their logarithm is a sum of one share for each
/// coordinate's level, shrunken towards zero, so that a single result counts little.
class EvaluationCost {
 public:
  /// `exponent` determines how much the cost counts, 0 to 1 and more. The encoding must outlive it.
  EvaluationCost(const Encoding& encoding, double exponent) : encoding_(encoding), exponent_(exponent) {}

  /// Learns from all of the evidence whose seconds are known.
  void learn(const Evidence& evidence);
  /// Returns the weight of an acquisition value: (typical seconds / expected seconds)^exponent; 1 without
  /// evidence.
  double cost_weight(std::span<const Level> levels) const;

 private:
  const Encoding& encoding_;
  double exponent_;
  std::vector<std::vector<double>> shares_;  ///< by dimension and level
};

/// Computes acquisition values: the expected improvement over the best (J. Mockus, 1975) under a Gaussian
/// process of the slowdowns, times the probability that they do not fail, less near configurations that are
/// out. Failures are not values of the process: the probability is the share of successes among the
/// evaluations near a configuration, by the squares of the kernel's correlations.
class Surrogate {
 public:
  /// The encoding must outlive it. `softness` is that of `slowdown`.
  Surrogate(const Encoding& encoding, PriorMeans prior_means, const GaussianProcessPrior& prior,
            double softness = usual_softness);

  /// Weighs acquisition values by the expected seconds of evaluations, with this exponent.
  void weigh_cost(double exponent) { cost_.emplace(encoding_, exponent); }
  /// True when there is enough new evidence for another fit, or no candidate is left.
  bool wants_fit(const Evidence& evidence) const;
  /// Fits to all of the evidence, at least three of which succeeded, and starts over with these candidates.
  void fit(const Evidence& evidence, const std::vector<ConfigurationId>& candidates);
  /// Takes in the results since, if any, in one step or several.
  void update(const Evidence& evidence);
  /// Marks a configuration as out: it and those near it gain less.
  void expect(ConfigurationId id, std::span<const Level> levels);

  /// Returns the largest expected improvement among the unseen candidates, on the scale of slowdowns, as of
  /// the last update; nothing before a fit, or where no candidate is left.
  std::optional<double> largest_gain() const { return largest_gain_; }
  /// Returns the unseen candidate with the largest acquisition value among those that `allowed` lets through
  /// (all where it is empty), if its value is more than `above`: it is 0 where improvements are too unlikely
  /// for a number.
  /// `behind` is the slowdown on which an improvement is one: 0 for that of the best.
  std::optional<ConfigurationId> best_candidate(const std::function<bool(ConfigurationId)>& allowed = {},
                                                float above = -1, double behind = 0) const;
  /// A configuration and its acquisition value.
  struct Valued {
    ConfigurationId id;
    double value;
  };
  /// Returns the unseen one of these with the largest acquisition value, the first of equals, if its value is
  /// more than `above`. They need not be candidates. It takes the less time the fewer parameters tell them
  /// from `centre`.
  std::optional<Valued> best_of(std::span<const ConfigurationId> ids, ConfigurationId centre,
                                const Evidence& evidence, double above = -1, double behind = 0) const;
  /// Returns the slowdown of a cost beside the best of the evidence.
  double behind(double cost, const Evidence& evidence) const {
    return slowdown(cost, *evidence.best_one().cost, softness_);
  }
  /// Returns the probability that each of these does not fail, before any fit by a prior kernel. Looks at
  /// about a thousand evaluations. See ProductKernel::correlations for `centre`.
  Eigen::VectorXd feasibility(const LevelMatrix& levels, const Level* centre, const Evidence& evidence) const;
  /// Returns the prior mean of a configuration.
  double prior_mean_at(ConfigurationId id) const;
  const ProductKernel& kernel() const { return process_.kernel(); }
  /// Returns how much was computed so far, in multiplications, about.
  std::uint64_t work() const { return kernel().work().done(); }

 private:
  Eigen::VectorXd features(ConfigurationId id) const;
  Eigen::VectorXd slowdowns(const Evidence& evidence) const;
  void fit_process(const Evidence& evidence);
  void take_in(const Evidence& evidence);
  void score(const Evidence& evidence);
  void weigh(const Evidence& evidence);
  void lower(std::span<const Level> levels);

  const Encoding& encoding_;
  PriorMeans prior_means_;
  double softness_;
  std::vector<WeightPrior> weights_;
  GaussianProcess process_;
  GaussianProcess::Explanation explanation_;
  Eigen::VectorXd pull_;                ///< factor^-T whitened: k . pull is whitened . v
  std::optional<EvaluationCost> cost_;  ///< nothing: all cost the same
  CandidatePool candidates_;
  std::unordered_map<ConfigurationId, std::size_t> place_;  ///< among the candidates
  Eigen::MatrixXf candidate_features_;                      ///< one row a candidate
  Eigen::ArrayXf near_all_, near_good_;                     ///< evaluations near each candidate
  Eigen::ArrayXf cost_weights_;                             ///< EvaluationCost::cost_weight; empty without it
  Eigen::ArrayXf means_, deviations_, chances_;             ///< of the candidates' improvements
  Eigen::ArrayXf scores_;                                   ///< negative: seen
  std::optional<double> largest_gain_;
  std::vector<std::size_t> followed_;  ///< places in the evidence of the process's points
  std::vector<Eigen::VectorXd> followed_features_;
  std::size_t taken_in_ = 0;       ///< of the evidence
  std::size_t good_taken_in_ = 0;  ///< of what succeeded in it
  std::size_t next_fit_ = 0;       ///< number of successes
};

}  // namespace tune::search
