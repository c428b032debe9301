// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/strategies/registry.hpp"
#include "search/strategies/stepwise.hpp"

namespace tune::search {
namespace {

struct AnnealingOptions {
  std::size_t start = 8;      ///< results before the first walk: few enough for a budget of 20
  std::size_t restart = 4;    ///< results before any other walk
  double hot = 0.3;           ///< temperature at first; a step that is 30 % slower: one of 2.7
  double cold = 0.01;         ///< temperature at last; below the differences that matter
  double cooling = 0.95;      ///< a result; 67 results from hot to cold
  std::size_t patience = 24;  ///< cold results without an improvement before a restart
};

/// Simulated annealing (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, Science 220, 1983): one walk that accepts
/// every better configuration and a worse one with a chance that falls with its cost and with time.
///
/// It starts at the best of a stratified sample. The chance of a step that is a share d slower is
/// exp(-d / temperature), so that nothing depends on the unit of the cost; the temperature falls by a
/// constant factor with each result. Cold and without success for a while, it begins again at the best of a
/// new sample (the budget is unknown, so the schedule cannot be stretched to it). Steps to configurations
/// whose cost is known are free. With several out, each result is a step proposed to where the walk is by
/// then.
class Annealing : public StepwiseSearch {
 public:
  static constexpr double adjacent_share = 0.5;   ///< share of steps to an adjacent value,
  static constexpr double neighbour_share = 0.4;  ///< to any value of one parameter; the rest changes two

  /// The task's space must outlive the strategy.
  explicit Annealing(const SearchTask& task, const AnnealingOptions& options = {});

  /// More would be steps from places that the walk left long ago.
  std::size_t max_in_flight() const override { return 8; }

 protected:
  std::optional<ConfigurationId> choose() override;
  void learn(ConfigurationId id, double cost) override;

 private:
  void restart();
  void move_to(ChosenCandidate place);
  /// True when the walk takes a step to this cost.
  bool accepts(double cost);
  std::optional<ConfigurationId> random_step();

  AnnealingOptions options_;
  std::size_t walk_ = 0;                                  ///< number of the present walk
  std::unordered_map<ConfigurationId, std::size_t> out_;  ///< chosen and not told: in which walk
  std::size_t missing_ = options_.start;                  ///< results before the walk starts
  std::optional<ChosenCandidate> start_;                  ///< the best of them
  std::optional<ChosenCandidate> current_;                ///< where the walk is; nowhere before it starts
  double walk_best_ = 0;
  double temperature_ = options_.hot;
  std::size_t stale_ = 0;  ///< results since the walk found its best
  std::vector<ConfigurationId> neighbours_;
  std::vector<ConfigurationId> adjacent_;
};

/// Free steps, and steps to configurations that are out, before the neighbourhood counts as exhausted.
constexpr int max_tries = 16;

void visit_options(AnnealingOptions& options, OptionVisitor& visitor) {
  visitor.count("start", options.start, 1, 10'000, "results before the first walk");
  visitor.count("restart", options.restart, 1, 10'000, "results before any other walk");
  visitor.number("hot", options.hot, 1e-6, 1000, "first temperature, a share of the present cost");
  visitor.number("cold", options.cold, 1e-6, 1000, "last temperature");
  visitor.number("cooling", options.cooling, 0.01, 1, "factor of the temperature for each result");
  visitor.count("patience", options.patience, 1, 1'000'000, "cold results without a gain before a restart");
}

Annealing::Annealing(const SearchTask& task, const AnnealingOptions& options)
    : StepwiseSearch(task, options.start), options_(options) {}

void Annealing::restart() {
  ++walk_;
  missing_ = options_.restart;
  start_.reset();
  current_.reset();
}

void Annealing::move_to(ChosenCandidate place) {
  current_ = place;
  neighbours_ = space_.neighbours(place.id);
  adjacent_ = moves_.adjacent(place.id, neighbours_);
  if (place.cost >= walk_best_) return;
  walk_best_ = place.cost;
  stale_ = 0;
}

bool Annealing::accepts(double cost) {
  if (cost <= current_->cost) return true;
  const double scale = std::max(std::abs(current_->cost), std::numeric_limits<double>::min());
  return random_.uniform() < std::exp(-(cost - current_->cost) / scale / temperature_);
}

void Annealing::learn(ConfigurationId id, double cost) {
  const auto chosen = out_.find(id);
  const bool outside = chosen == out_.end();
  const bool of_this_walk = !outside && chosen->second == walk_;
  if (!outside) out_.erase(chosen);
  if (!current_) {
    if (!outside && !of_this_walk) return;
    if (std::isfinite(cost) && (!start_ || cost < start_->cost)) start_ = {id, cost};
    if (missing_ > 0) --missing_;
    if (missing_ > 0 || !start_) return;
    temperature_ = options_.hot;
    walk_best_ = std::numeric_limits<double>::infinity();
    move_to(*start_);
    return;
  }
  if (of_this_walk) {
    ++stale_;
    temperature_ = std::max(options_.cold, temperature_ * options_.cooling);
  }
  // A step of an earlier walk, or a result from outside, is taken only if it leads down.
  if (cost < current_->cost || (of_this_walk && accepts(cost))) move_to({id, cost});
  if (temperature_ <= options_.cold && stale_ >= options_.patience) restart();
}

std::optional<ConfigurationId> Annealing::random_step() {
  const double kind = random_.uniform();
  const auto& steps = kind < adjacent_share && !adjacent_.empty() ? adjacent_ : neighbours_;
  if (kind >= adjacent_share + neighbour_share || steps.empty())
    return moves_.perturb(current_->id, 2, random_);
  return steps[random_.below(steps.size())];
}

std::optional<ConfigurationId> Annealing::choose() {
  std::optional<ConfigurationId> next;
  for (int attempt = 0; current_ && !next && attempt < max_tries; ++attempt) {
    const auto step = random_step();
    if (!step) break;
    const auto cost = visited_.cost(*step);
    if (!visited_.seen(*step))
      next = step;
    else if (cost && accepts(*cost))
      move_to({*step, *cost});
  }
  if (current_ && !next) next = moves_.perturb(current_->id, 2, random_, unseen());
  next = take_or_sample(next);
  if (next) out_.emplace(*next, walk_);
  return next;
}

}  // namespace

StrategyEntry annealing_strategy() {
  return strategy_entry<Annealing, AnnealingOptions>("annealing", "simulated annealing");
}

}  // namespace tune::search
