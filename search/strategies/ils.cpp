// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "search/ask_tell/options.hpp"
#include "search/strategies/registry.hpp"
#include "search/strategies/stepwise.hpp"

namespace tune::search {
namespace {

struct LocalSearchOptions {
  std::size_t start = 8;    ///< results before the first climb: few enough for a budget of 20
  std::size_t restart = 4;  ///< results before the climb after a restart
  std::size_t kick = 4;     ///< parameters changed at most: many changes are a restart
  std::size_t kicks = 4;    ///< climbs without a gain before a restart
};

/// Iterated local search (H. R. Lourenço, O. C. Martin, T. Stützle, in: Handbook of Metaheuristics, 2003):
/// climbs down to a configuration without a better neighbour, kicks the best of these so far a few parameters
/// away, and climbs again.
///
/// A climb looks at the neighbours (one parameter, any value) in random order and goes on from the first that
/// is better. It starts at the best of a stratified sample. After some kicks in vain the search begins again
/// at the best of a new sample. Costs that are known need no evaluation. With several out, the neighbours of
/// one configuration are tried at the same time; where there are none left, kicks are.
class IteratedLocalSearch : public StepwiseSearch {
 public:
  static constexpr std::size_t min_kick = 2;  ///< parameters changed: a neighbour would lead back at once

  /// The task's space must outlive the strategy.
  explicit IteratedLocalSearch(const SearchTask& task, const LocalSearchOptions& options = {});

  /// A part of a neighbourhood: the rest is better chosen around the results of these.
  std::size_t max_in_flight() const override { return 8; }

 protected:
  std::optional<ConfigurationId> choose() override;
  void learn(ConfigurationId id, double cost) override;

 private:
  enum class IlsPhase { sampling, kicking, climbing };

  void restart();
  /// Moves there, and on to better neighbours as long as their costs are known.
  void climb_from(ChosenCandidate place);
  /// The climb ended at its local optimum.
  void end_climb();
  std::optional<ConfigurationId> kick(ConfigurationId from);
  /// Returns the next unseen neighbour, if there is one.
  std::optional<ConfigurationId> next_neighbour();

  LocalSearchOptions options_;
  IlsPhase phase_ = IlsPhase::sampling;
  std::size_t turn_ = 0;                                  ///< restarts so far
  std::unordered_map<ConfigurationId, std::size_t> out_;  ///< chosen and not told: after which restart
  std::size_t missing_ = options_.start;                  ///< results before the sample is complete
  std::optional<ChosenCandidate> start_;                  ///< the best of the sample
  ChosenCandidate base_;                                  ///< where the climb is
  std::vector<ConfigurationId> to_try_;                   ///< neighbours of the base; the last comes first
  std::unordered_set<ConfigurationId> trying_;            ///< neighbours of the base that are out
  std::optional<ChosenCandidate> home_;                   ///< the best local optimum since the restart
  std::size_t kicks_ = 0;                                 ///< in vain since then
};

/// Limits steps over known costs: they end by themselves, but perhaps not soon where nearly all costs are
/// known.
constexpr int free_steps = 64;

void visit_options(LocalSearchOptions& options, OptionVisitor& visitor) {
  visitor.count("start", options.start, 1, 10'000, "results before the first climb");
  visitor.count("restart", options.restart, 1, 10'000, "results before the climb after a restart");
  visitor.count("kick", options.kick, IteratedLocalSearch::min_kick, 1000, "parameters changed at most");
  visitor.count("kicks", options.kicks, 1, 1'000'000, "climbs without a gain before a restart");
}

IteratedLocalSearch::IteratedLocalSearch(const SearchTask& task, const LocalSearchOptions& options)
    : StepwiseSearch(task, options.start), options_(options) {}

void IteratedLocalSearch::restart() {
  phase_ = IlsPhase::sampling;
  ++turn_;
  missing_ = options_.restart;
  start_.reset();
  home_.reset();
  kicks_ = 0;
}

void IteratedLocalSearch::climb_from(ChosenCandidate place) {
  phase_ = IlsPhase::climbing;
  base_ = place;
  trying_.clear();
  for (int step = 0; step < free_steps; ++step) {
    to_try_ = space_.neighbours(base_.id);
    ChosenCandidate best = base_;
    for (const ConfigurationId neighbour : to_try_) {
      const auto cost = visited_.cost(neighbour);
      if (cost && *cost < best.cost) best = {neighbour, *cost};
    }
    if (best.id == base_.id) break;
    base_ = best;
  }
  shuffle(to_try_);
}

void IteratedLocalSearch::end_climb() {
  if (!home_ || base_.cost < home_->cost) {
    home_ = base_;
    kicks_ = 0;
  } else {
    ++kicks_;
  }
  if (kicks_ >= options_.kicks) return restart();
  phase_ = IlsPhase::kicking;
}

void IteratedLocalSearch::learn(ConfigurationId id, double cost) {
  const auto chosen = out_.find(id);
  const bool outside = chosen == out_.end();
  const bool of_this_turn = !outside && chosen->second == turn_;
  if (!outside) out_.erase(chosen);
  trying_.erase(id);
  if (phase_ == IlsPhase::climbing) {
    if (cost < base_.cost) climb_from({id, cost});
    return;
  }
  if (!outside && !of_this_turn) return;
  if (phase_ == IlsPhase::kicking) {
    if (std::isfinite(cost)) return climb_from({id, cost});
    if (++kicks_ >= options_.kicks) restart();
    return;
  }
  if (std::isfinite(cost) && (!start_ || cost < start_->cost)) start_ = {id, cost};
  if (missing_ > 0) --missing_;
  if (missing_ == 0 && start_) climb_from(*start_);
}

std::optional<ConfigurationId> IteratedLocalSearch::next_neighbour() {
  while (!to_try_.empty()) {
    const ConfigurationId id = to_try_.back();
    to_try_.pop_back();
    if (visited_.seen(id)) continue;
    trying_.insert(id);
    return id;
  }
  return std::nullopt;
}

std::optional<ConfigurationId> IteratedLocalSearch::kick(ConfigurationId from) {
  const std::size_t parameters = min_kick + random_.below(options_.kick - min_kick + 1);
  return moves_.perturb(from, parameters, random_, unseen());
}

std::optional<ConfigurationId> IteratedLocalSearch::choose() {
  std::optional<ConfigurationId> next;
  if (phase_ == IlsPhase::climbing) {
    next = next_neighbour();
    if (!next && trying_.empty()) end_climb();
    // Until the last neighbours have results, a kick is the best choice.
    else if (!next)
      next = kick(base_.id);
  }
  if (phase_ == IlsPhase::kicking) {
    next = kick(home_->id);
    if (!next) restart();
  }
  next = take_or_sample(next);
  if (next) out_.emplace(*next, turn_);
  return next;
}

}  // namespace

StrategyEntry ils_strategy() {
  return strategy_entry<IteratedLocalSearch, LocalSearchOptions>("ils", "iterated local search");
}

}  // namespace tune::search
