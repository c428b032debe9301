// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tuner/evaluation/evaluation.hpp"
#include "tuner/measurement/median_interval.hpp"

/// The end of a run: the fastest are checked with other inputs and timed again in turns, so that what slows
/// the device down slows all of them, and the answer is the winner with all that tie with it.
namespace tune {

/// What is not slower than the winner by at least this share, with confidence, ties with it: two loads of one
/// binary can differ by as much (where its buffers lie, at which clock the device happens to be).
inline constexpr double rerank_resolution = 0.005;
/// Of each interval in a ranking.
inline constexpr double rerank_confidence = 0.95;

struct RerankOptions {
  std::size_t top_k = 12;      ///< at most, those of equal machine code counted as one; 0 for no finals
  std::size_t min_rounds = 6;  ///< fewer give no interval of 95 %
  std::size_t max_rounds = 15;
  double within = 0.03;  ///< of the best: how slow a measurement may look and still take part
  /// Seconds: where executions are longer, fewer take part, in fewer rounds, but no fewer than three.
  double long_execution = 0.01;

  /// What holds where the best one takes so many seconds. A turn is of about ten executions.
  RerankOptions for_executions_of(double seconds) const;
};

/// One round of one finalist.
struct RerankRound {
  double seconds = 0;  ///< an execution
  double energy = 0;   ///< joules; 0 where not measured
};

/// A finalist's place.
struct RerankPlace {
  Configuration configuration;
  std::vector<RerankRound> rounds;  ///< in order; fewer than the winner's where it was clearly slower
  MedianInterval time = {};         ///< seconds: of the rounds
  MedianInterval ratio = {};        ///< of its value to the winner's of the same round; 1 for the winner
  bool tied = false;                ///< with the winner, which ties with itself

  /// Joules: median of the rounds; 0 where not measured.
  double energy() const;
};

/// What finals gave.
struct RerankResult {
  Objective objective = Objective::time;
  std::vector<RerankPlace> places;  ///< the winner first, then by ratio; empty where none were held
  /// Finalists whose results were wrong with other inputs, or that crashed.
  std::vector<Evaluation> failures;
  bool reused = false;       ///< places are those of an earlier run
  bool interrupted = false;  ///< before there was a ranking
  double seconds = 0;        ///< that they took
};

/// Collects what may come to the finals, in bounded memory.
class TopCandidates {
 public:
  explicit TopCandidates(Objective objective) : objective_(objective) {}
  void add(const Evaluation& evaluation);
  /// The configuration is out.
  void remove(const Configuration& configuration);
  /// Those whose median interval reaches within the options' share of the best, the best first; those of
  /// equal machine code stand together.
  std::vector<Evaluation> top_k(const RerankOptions& options) const;
  /// The best that was added.
  const Evaluation* best() const { return sorted_.empty() ? nullptr : &sorted_.front().evaluation; }

 private:
  struct RankedEvaluation {
    double value;
    std::string key;
    Evaluation evaluation;
  };
  Objective objective_;
  std::vector<RankedEvaluation> sorted_;
};

/// Whether both are one measurement: of the same machine code, launched in the same way.
bool same_measurement(const Evaluation& a, const Evaluation& b);

/// Times the top candidates in turns until it is clear which of them tie. `stop` is asked before each turn.
RerankResult confirm_top_k(std::span<const Evaluation> top_k, RerankDevice& device, Objective objective,
                           const RerankOptions& options, const std::function<bool()>& stop);

/// The winner has the smallest median of those with the most rounds; a place ties with it unless the interval
/// of their ratio, round by round, lies above 1 + rerank_resolution. Takes configurations and rounds from
/// `places` and fills in the rest. Those with a round of unknown value are left out.
std::vector<RerankPlace> rank_top_k(std::vector<RerankPlace> places, Objective objective);

/// The ranking of these finalists alone from earlier finals; empty where one of them was not there.
std::vector<RerankPlace> rank_again(std::span<const Evaluation> top_k, const RerankResult& earlier);

}  // namespace tune
