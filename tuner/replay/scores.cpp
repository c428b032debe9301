// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/scores.hpp"

#include <algorithm>

namespace tune::replay {

template<class Value>
double RandomCurve::expectation(std::uint64_t evaluations, Value&& value, double nothing) const {
  const std::vector<double>& costs = outcomes_.costs();
  const auto all = static_cast<double>(outcomes_.recorded());
  const double draws = std::min(static_cast<double>(evaluations), all);
  double sum = 0;
  double worse = 1;  // P(the best of the draws has a rank above this one) = C(N-i, n) / C(N, n)
  for (std::size_t i = 0; i < costs.size() && worse > 0; ++i) {
    const double left = all - static_cast<double>(i);
    const double next = worse * std::max(0.0, left - draws) / left;
    sum += (worse - next) * value(costs[i]);
    worse = next;
  }
  return sum + worse * nothing;
}

double RandomCurve::expected_best(std::uint64_t evaluations) const {
  return expectation(
      evaluations, [](double cost) { return cost; }, outcomes_.worst());
}

double RandomCurve::expected_share(std::uint64_t evaluations) const {
  const double optimum = outcomes_.optimum();
  return expectation(
      evaluations, [optimum](double cost) { return optimum / cost; }, 0);
}

double RandomCurve::share_quantile(std::uint64_t evaluations, double probability) const {
  // The share is at least that of rank i if one of the best i was drawn.
  const std::vector<double>& costs = outcomes_.costs();
  for (std::size_t i = 0; i < costs.size(); ++i)
    if (miss(evaluations, i + 1) <= probability) return costs.front() / costs[i];
  return 0;
}

double RandomCurve::miss(std::uint64_t evaluations, std::uint64_t good) const {
  const std::uint64_t all = outcomes_.recorded();
  if (evaluations + good > all) return good == 0 ? 1 : 0;
  double probability = 1;
  for (std::uint64_t i = 0; i < std::min(good, evaluations); ++i)
    probability *= static_cast<double>(all - std::max(good, evaluations) - i) / static_cast<double>(all - i);
  return probability;
}

double RandomCurve::expected_evaluations(std::uint64_t good, std::uint64_t limit) const {
  // Sums P(not found by n) over n, each term from the one before.
  const auto all = static_cast<double>(outcomes_.recorded());
  double sum = 0;
  double missing = 1;
  for (std::uint64_t n = 0; n < limit && missing > 0; ++n) {
    sum += missing;
    const double left = all - static_cast<double>(n);
    missing *= std::max(0.0, left - static_cast<double>(good)) / std::max(1.0, left);
  }
  return sum;
}

double RandomCurve::expected_evaluations(std::uint64_t good) const {
  return static_cast<double>(outcomes_.recorded() + 1) / static_cast<double>(good + 1);
}

namespace {

constexpr double rounding = 1e-9;  // of a sum of times

/// Interpolates between the two nearest values.
double quantile(const std::vector<double>& sorted, double probability) {
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {mean(values), quantile(values, 0.25), quantile(values, 0.75)};
}

/// Returns optimum / best after that many evaluations.
double share_after(const Trace& trace, std::uint64_t evaluations, double optimum) {
  std::optional<double> best;
  for (std::size_t i = 0; i < std::min<std::size_t>(evaluations, trace.evaluations.size()); ++i) {
    const auto& cost = trace.evaluations[i].cost;
    if (cost && (!best || *cost < *best)) best = cost;
  }
  return best ? optimum / *best : 0;
}

/// Returns the number of evaluations that have ended after that time.
std::uint64_t ended_after(const Trace& trace, const OutcomeTable& outcomes, double seconds) {
  if (!trace.ended.empty())
    return static_cast<std::uint64_t>(std::ranges::upper_bound(trace.ended, seconds) - trace.ended.begin());
  std::uint64_t ended = 0;
  for (const search::Observation& one : trace.evaluations) {
    seconds -= outcomes.at(one.id).seconds;
    if (seconds < 0) break;
    ++ended;
  }
  return ended;
}

Within within(std::span<const Trace> repeats, double optimum, double share, std::uint64_t limit) {
  Within result;
  for (const Trace& trace : repeats) {
    const auto hit = std::ranges::find_if(trace.evaluations, [&](const search::Observation& one) {
      return one.cost && is_within(*one.cost, optimum, share);
    });
    const auto place = static_cast<std::uint64_t>(hit - trace.evaluations.begin());
    const bool found = hit != trace.evaluations.end() && place < limit;
    result.evaluations += static_cast<double>(found ? place + 1 : limit);
    if (!found) result.missed += 1;
  }
  result.evaluations /= static_cast<double>(repeats.size());
  result.missed /= static_cast<double>(repeats.size());
  return result;
}

/// Returns the mean over the repeats of the best time after each evaluation. A trace that ends early has
/// searched the whole space.
std::vector<double> mean_best(std::span<const Trace> repeats, double nothing) {
  std::size_t longest = 0;
  for (const Trace& trace : repeats) longest = std::max(longest, trace.evaluations.size());
  std::vector<double> sum(longest);
  for (const Trace& trace : repeats) {
    std::vector<double> best = trace.best_so_far(nothing);
    best.resize(longest, best.empty() ? nothing : best.back());
    for (std::size_t i = 0; i < longest; ++i) sum[i] += best[i] / static_cast<double>(repeats.size());
  }
  return sum;
}

Within mean_within(std::span<const Scores> spaces, Within Scores::*which) {
  Within sum;
  const auto count = static_cast<double>(spaces.size());
  for (const Scores& space : spaces) {
    sum.evaluations += (space.*which).evaluations / count;
    sum.missed += (space.*which).missed / count;
  }
  return sum;
}

/// Returns means by budget; empty unless all spaces have them.
std::vector<Spread> mean_spreads(std::span<const Scores> spaces, std::vector<Spread> Scores::*which) {
  std::vector<Spread> sum((spaces.front().*which).size());
  const auto count = static_cast<double>(spaces.size());
  for (const Scores& space : spaces) {
    if ((space.*which).size() != sum.size()) return {};
    for (std::size_t b = 0; b < sum.size(); ++b) {
      sum[b].mean += (space.*which)[b].mean / count;
      sum[b].lower += (space.*which)[b].lower / count;
      sum[b].upper += (space.*which)[b].upper / count;
    }
  }
  return sum;
}

/// Returns the mean of the spaces that have the figure.
std::optional<double> mean_optional(std::span<const Scores> spaces, std::optional<double> Scores::*which) {
  std::vector<double> values;
  for (const Scores& space : spaces)
    if (space.*which) values.push_back(*(space.*which));
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

}  // namespace

Baseline::Baseline(const OutcomeTable& outcomes, std::uint64_t largest_budget)
    : curve_(outcomes), optimum_(outcomes.optimum()) {
  const double goal = outcomes.median() - cutoff * (outcomes.median() - optimum_);
  // Bisection: the expected best falls with every evaluation.
  std::uint64_t end = outcomes.recorded();
  while (cutoff_evaluations_ < end) {
    const std::uint64_t middle = cutoff_evaluations_ + (end - cutoff_evaluations_) / 2;
    if (curve_.expected_best(middle) <= goal)
      end = middle;
    else
      cutoff_evaluations_ = middle + 1;
  }
  for (std::uint64_t n = 1; n <= std::min(cutoff_evaluations_, largest_budget); ++n)
    expected_.push_back(curve_.expected_best(n));
}

std::optional<double> Baseline::score(std::span<const double> best) const {
  std::vector<double> parts;
  for (std::size_t t = 0; t < expected_.size() && !best.empty(); ++t) {
    const double distance = expected_[t] - optimum_;
    if (distance <= 0) continue;  // all times are equal, or all are drawn
    parts.push_back((expected_[t] - best[std::min(t, best.size() - 1)]) / distance);
  }
  return parts.empty() ? std::nullopt : std::optional(mean(parts));
}

Scores scores_of(std::span<const Trace> repeats, const OutcomeTable& outcomes, const Baseline& baseline,
                 std::span<const std::uint64_t> budgets, std::span<const double> times) {
  Scores scores;
  const double each = outcomes.seconds_each(), optimum = outcomes.optimum();
  for (const std::uint64_t budget : budgets) {
    std::vector<double> shares, by_time;
    const double time = static_cast<double>(budget) * each * (1 + rounding);
    for (const Trace& trace : repeats) {
      shares.push_back(share_after(trace, budget, optimum));
      by_time.push_back(share_after(trace, ended_after(trace, outcomes, time), optimum));
    }
    scores.share.push_back(spread_of(std::move(shares)));
    if (each > 0) scores.share_by_time.push_back(spread_of(std::move(by_time)));
  }
  for (const double time : times) {
    std::vector<double> shares;
    for (const Trace& trace : repeats)
      shares.push_back(share_after(trace, ended_after(trace, outcomes, time * (1 + rounding)), optimum));
    scores.share_at_times.push_back(spread_of(std::move(shares)));
  }
  scores.within_5 = within(repeats, outcomes.optimum(), 0.05, budgets.back());
  scores.within_1 = within(repeats, outcomes.optimum(), 0.01, budgets.back());
  scores.score = baseline.score(mean_best(repeats, outcomes.worst()));
  double seconds = 0;
  double evaluations = 0;
  for (const Trace& trace : repeats) {
    seconds += trace.strategy_seconds;
    evaluations += static_cast<double>(trace.evaluations.size());
  }
  scores.seconds = evaluations > 0 ? seconds / evaluations : 0;
  return scores;
}

Scores scores_of_random(const OutcomeTable& outcomes, const Baseline& baseline,
                        std::span<const std::uint64_t> budgets) {
  const RandomCurve& curve = baseline.curve();
  Scores scores;
  for (const std::uint64_t budget : budgets)
    scores.share.push_back({curve.expected_share(budget), curve.share_quantile(budget, 0.25),
                            curve.share_quantile(budget, 0.75)});
  const std::uint64_t limit = budgets.back();
  const auto near = [&](double share) -> Within {
    const std::uint64_t good = outcomes.within(share);
    return {curve.expected_evaluations(good, limit), curve.miss(limit, good)};
  };
  scores.within_5 = near(0.05);
  scores.within_1 = near(0.01);
  std::vector<double> best;
  for (std::uint64_t n = 1; n <= std::min(limit, baseline.cutoff_evaluations()); ++n)
    best.push_back(curve.expected_best(n));
  scores.score = baseline.score(best);
  return scores;
}

Scores mean_of(std::span<const Scores> spaces) {
  Scores result;
  result.share = mean_spreads(spaces, &Scores::share);
  result.share_by_time = mean_spreads(spaces, &Scores::share_by_time);
  result.share_at_times = mean_spreads(spaces, &Scores::share_at_times);
  result.within_5 = mean_within(spaces, &Scores::within_5);
  result.within_1 = mean_within(spaces, &Scores::within_1);
  result.score = mean_optional(spaces, &Scores::score);
  result.seconds = mean_optional(spaces, &Scores::seconds);
  return result;
}

}  // namespace tune::replay
