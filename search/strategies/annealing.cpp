// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/annealing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::search {

namespace {

/// Free steps, and steps to configurations that are out, before the neighbourhood counts as exhausted.
constexpr int max_tries = 16;

}  // namespace

void visit_options(AnnealingOptions& options, OptionVisitor& visitor) {
  visitor.count("start", options.start, 1, 10'000, "results before the first walk");
  visitor.count("restart", options.restart, 1, 10'000, "results before any other walk");
  visitor.number("hot", options.hot, 1e-6, 1000, "first temperature, a share of the present cost");
  visitor.number("cold", options.cold, 1e-6, 1000, "last temperature");
  visitor.number("cooling", options.cooling, 0.01, 1, "what each result multiplies the temperature by");
  visitor.count("patience", options.patience, 1, 1'000'000, "cold results in vain before a restart");
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

}  // namespace tune::search
