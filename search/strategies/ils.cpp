// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/ils.hpp"

#include <cmath>

#include "search/strategies/registry.hpp"

namespace tune::search {

namespace {

/// Limits steps over known costs: they end by themselves, but perhaps not soon where nearly all costs are
/// known.
constexpr int free_steps = 64;

}  // namespace

void visit_options(LocalSearchOptions& options, OptionVisitor& visitor) {
  visitor.count("start", options.start, 1, 10'000, "results before the first climb");
  visitor.count("restart", options.restart, 1, 10'000, "results before the climb after a restart");
  visitor.count("kick", options.kick, IteratedLocalSearch::min_kick, 1000, "parameters changed at most");
  visitor.count("kicks", options.kicks, 1, 1'000'000, "climbs in vain before a restart");
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

StrategyEntry ils_strategy() {
  return strategy_entry<IteratedLocalSearch, LocalSearchOptions>(
      "ils", "iterated local search: climbs to a local optimum, changes some parameters, climbs again");
}

}  // namespace tune::search
