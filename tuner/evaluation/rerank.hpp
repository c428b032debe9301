// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/evaluation/evaluation.hpp"
#include "tuner/measurement/median_interval.hpp"

/// The re-ranking at the end of a run: the fastest configurations are checked with other inputs and timed
/// again in turns, so that a slower device slows all of them. The answer is the winner and the configurations
/// that tie with it.
namespace tune {

/// A configuration ties with the winner unless it is slower by at least this share, with confidence: two
/// loads of one binary can differ by as much, by the addresses of buffers and the device's clock.
inline constexpr double rerank_resolution = 0.005;
/// The confidence of each interval in a ranking.
inline constexpr double rerank_confidence = 0.95;

struct RerankOptions {
  std::size_t top_k = 12;      ///< at most, those of equal machine code counted as one; 0: no re-ranking
  std::size_t min_rounds = 6;  ///< fewer give no interval of 95 %
  std::size_t max_rounds = 15;
  double within = 0.03;  ///< a candidate's median interval must reach within this share of the best
  /// Seconds: where executions are longer, fewer candidates take part in fewer rounds, but no fewer than
  /// three.
  double long_execution = 0.01;

  /// Returns the options for a best execution of `seconds`. A turn takes about ten executions.
  RerankOptions for_executions_of(double seconds) const;
};

/// One round of one candidate.
struct RerankRound {
  double seconds = 0;  ///< an execution
  double energy = 0;   ///< joules; 0 where not measured
  Metrics metrics = {};
};

/// The place of a candidate in the ranking.
struct RerankPlace {
  Configuration configuration;
  std::vector<RerankRound> rounds;  ///< in order; fewer than the winner's where it was clearly slower
  MedianInterval time = {};         ///< seconds: of the rounds
  MedianInterval ratio = {};        ///< to the winner's value in the same round; 1 for the winner
  /// With the winner, which ties with itself. By a front: no other place dominates it.
  bool tied = false;
  std::optional<KernelResources> resources = std::nullopt;  ///< where a metric ranks

  /// Returns the median of the rounds' joules; 0 where not measured.
  double energy() const;
  /// Returns the medians of the rounds' metrics.
  Metrics metrics() const;
  /// Returns the medians of both quantities of a front; nothing where one is not known in a round.
  std::optional<FrontValues> front_values(const Objective& objective) const;
};

/// The result of a re-ranking.
struct RerankResult {
  Objective objective = Objective::time;
  std::vector<RerankPlace> places;  ///< the winner first, then by ratio; empty without a re-ranking
  /// Candidates whose results were wrong with other inputs, or that crashed.
  std::vector<Evaluation> failures;
  bool reused = false;       ///< places are those of an earlier run
  bool interrupted = false;  ///< before the ranking was complete
  double seconds = 0;        ///< that the re-ranking took
};

/// A configuration and its value by the objective, on today's scale.
struct RankedConfiguration {
  Configuration configuration;
  double value = 0;
};

/// Collects the candidates for the re-ranking, in bounded memory.
class TopCandidates {
 public:
  explicit TopCandidates(Objective objective) : objective_(std::move(objective)) {}
  /// Ranks the evaluation by its value times `scale`.
  void add(const Evaluation& evaluation, double scale = 1);
  void remove(const Configuration& configuration);
  /// Returns the candidates whose median interval reaches within the options' share of the best, the best
  /// first. By a front: its members, the smallest product first; of many, some at equal steps along it.
  std::vector<Evaluation> top_k(const RerankOptions& options) const;
  /// Returns at most `count` of all that were added, the best first.
  std::vector<RankedConfiguration> first(std::size_t count) const;
  /// Null where none was added.
  const Evaluation* best() const { return sorted_.empty() ? nullptr : &sorted_.front().evaluation; }

 private:
  struct RankedEvaluation {
    double value;
    std::string key;
    Evaluation evaluation;
    FrontValues both = {};
  };
  std::vector<Evaluation> front(std::size_t most) const;

  Objective objective_;
  std::vector<RankedEvaluation> sorted_;
  std::vector<RankedEvaluation> front_;  ///< what none dominates, whatever its product
};

/// True where both are one measurement: of the same machine code, launched in the same way.
bool same_measurement(const Evaluation& a, const Evaluation& b);

/// Times the top candidates in turns until it is clear which of them tie. Calls `stop` before and after each
/// turn. Where `seconds_left` (empty: without limit) is too little for all of them, the last ones are left
/// out after the first round; where nothing is left, the complete rounds so far decide. By a front, no
/// candidate leaves early.
RerankResult confirm_top_k(std::span<const Evaluation> top_k, RerankDevice& device,
                           const Objective& objective, const RerankOptions& options,
                           const std::function<bool()>& stop,
                           const std::function<double()>& seconds_left = {});

/// Ranks by configurations and rounds of `places` and fills in the rest. The winner has the smallest median
/// of those with the most rounds, unless one of these is smaller in most rounds, as a device may drift; a
/// place ties with it unless the interval of their ratio, round by round, lies above 1 + rerank_resolution.
/// Leaves out places with a round of unknown value.
std::vector<RerankPlace> rank_top_k(std::vector<RerankPlace> places, const Objective& objective);

/// Ranks these candidates by the rounds of an earlier re-ranking; empty where that lacks one of them.
std::vector<RerankPlace> rank_again(std::span<const Evaluation> top_k, const RerankResult& earlier,
                                    const Objective& objective);

}  // namespace tune
