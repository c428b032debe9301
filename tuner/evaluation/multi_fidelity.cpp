// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/multi_fidelity.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tuner/base/stopwatch.hpp"
#include "tuner/measurement/stopping_rule.hpp"

namespace tune {
namespace {

/// The standard deviation of a logarithm of a ratio that is expected before there are pairs: of a group with
/// pairs, and of one without. Each counts as so many pairs.
constexpr double usual_deviation = 0.05, unknown_deviation = 0.3, prior_pairs = 3;
/// With fewer pairs than min_pairs, no smaller deviation is believed.
constexpr double early_deviation = 0.15;
/// Some estimates below twice the best time are promoted whatever they say: the first ones, then every
/// eighth. Without them, the ratio would be that of the fast configurations alone.
constexpr std::size_t first_pairs = 6;
constexpr int audit_interval = 8;
constexpr double audited_slowdown = 2;
/// A configuration is promoted unless its time would have to be so many standard deviations below the
/// estimate.
constexpr double benefit_of_doubt = 1.5;
/// A group whose logarithms deviate more, with so many pairs, is evaluated at the instance itself.
constexpr double max_deviation = 0.25;
constexpr std::size_t min_pairs = 4;

/// Between two looks for a compile that has ended.
constexpr std::chrono::milliseconds poll_interval{2};

}  // namespace

double FidelityRatio::Group::mean() const {
  double sum = 0;
  for (const double value : logs) sum += value;
  return logs.empty() ? 0 : sum / static_cast<double>(logs.size());
}

double FidelityRatio::Group::deviation(double mean) const {
  double squares = prior_pairs * usual_deviation * usual_deviation;
  for (const double value : logs) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (static_cast<double>(logs.size()) + prior_pairs));
}

void FidelityRatio::add(const std::string& group, double nominal, double low_seconds, double full_seconds) {
  if (!(nominal > 0 && low_seconds > 0 && full_seconds > 0)) return;
  groups_[group].logs.push_back(std::log(full_seconds / (nominal * low_seconds)));
}

double FidelityRatio::mean_of(const std::string& group) const {
  if (const auto found = groups_.find(group); found != groups_.end()) return found->second.mean();
  double sum = 0;
  for (const auto& [name, other] : groups_) sum += other.mean();
  return groups_.empty() ? 0 : sum / static_cast<double>(groups_.size());
}

double FidelityRatio::deviation_of(const std::string& group) const {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return unknown_deviation;
  const double deviation = found->second.deviation(found->second.mean());
  return found->second.logs.size() < min_pairs ? std::max(deviation, early_deviation) : deviation;
}

FidelityRatio::Estimate FidelityRatio::estimate(const std::string& group, double nominal,
                                                double low_seconds) const {
  const double seconds = low_seconds * nominal * std::exp(mean_of(group));
  return {seconds, seconds * std::exp(-benefit_of_doubt * deviation_of(group))};
}

bool FidelityRatio::is_usable(const std::string& group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() || found->second.logs.size() < min_pairs ||
         deviation_of(group) <= max_deviation;
}

std::size_t FidelityRatio::pairs() const {
  std::size_t count = 0;
  for (const auto& [name, group] : groups_) count += group.logs.size();
  return count;
}

MultiFidelityEvaluator::MultiFidelityEvaluator(std::unique_ptr<DeviceEvaluator> low,
                                               std::unique_ptr<DeviceEvaluator> full, Options options)
    : low_(std::move(low)), full_(std::move(full)), options_(std::move(options)) {}

void MultiFidelityEvaluator::know_low_fidelity(std::vector<Evaluation> evaluations) {
  for (Evaluation& one : evaluations) {
    std::string key = one.configuration.key();
    known_.insert_or_assign(std::move(key), std::move(one));
  }
}

std::string MultiFidelityEvaluator::group_of(const Configuration& configuration) const {
  const Value* const value = configuration.find(options_.group);
  return value == nullptr ? std::string() : value->to_string();
}

bool MultiFidelityEvaluator::starts_low(const Configuration& configuration) const {
  return ratio_.is_usable(group_of(configuration)) && options_.low_space.allows(configuration);
}

void MultiFidelityEvaluator::submit(Configuration configuration) {
  if (!starts_low(configuration)) {
    full_->submit(std::move(configuration));
    order_.push_back(false);
  } else if (const auto known = known_.find(configuration.key()); known != known_.end()) {
    answered_.push_back(known->second);
  } else {
    low_->submit(std::move(configuration));
    order_.push_back(true);
  }
}

/// Takes the first that is ready out of the order, and returns at which instance it is evaluated. Nothing
/// where the wait was ended.
std::optional<bool> MultiFidelityEvaluator::take_turn() {
  auto turn = order_.begin();
  const Stopwatch starved;
  while (!options_.reproducible) {
    turn = std::ranges::find_if(order_, [&](bool is_low) { return (is_low ? low_ : full_)->any_ready(); });
    if (turn != order_.end()) break;
    if (waits_no_longer()) return std::nullopt;
    now(Activity::compiling, order_.size());
    if (starved.seconds() >= starving_after && low_->any_idle_compiler()) (void)asked_for_more();
    std::this_thread::sleep_for(poll_interval);
  }
  const bool is_low = *turn;
  order_.erase(turn);
  return is_low;
}

/// The next evaluation of devices that have threads; at the cheaper instance it is put into `low`. Nothing
/// where the wait was ended.
std::optional<Evaluation> MultiFidelityEvaluator::next_of_devices(std::optional<Evaluation>& low) {
  const Stopwatch starved;
  while (true) {
    if (std::optional<Evaluation> full = full_->take_finished()) return full;
    if ((low = low_->take_finished())) return std::nullopt;
    const bool low_goes_on = low_->goes_on();
    if (!full_->goes_on() && !low_goes_on) return std::nullopt;
    const std::size_t idle = (full_->open() > 0 ? full_ : low_)->tell_activity();
    if (idle > 0 && starved.seconds() >= starving_after && low_->any_idle_compiler()) (void)asked_for_more();
    std::this_thread::sleep_for(poll_interval);
  }
}

std::optional<Evaluation> MultiFidelityEvaluator::next() {
  const bool threads = full_->has_threads();
  if (answered_.empty() && (threads ? low_->open() + full_->open() == 0 : order_.empty()))
    throw std::logic_error("no configuration was submitted");
  while (true) {
    std::optional<Evaluation> low;
    if (!answered_.empty()) {
      low = std::move(answered_.front());
      answered_.pop_front();
    } else if (threads) {
      std::optional<Evaluation> full = next_of_devices(low);
      if (full) return with_low_fidelity(std::move(*full));
      if (!low) return std::nullopt;
    } else {
      const std::optional<bool> is_low = take_turn();
      if (!is_low) return std::nullopt;
      if (!*is_low) {
        std::optional<Evaluation> full = full_->next();
        return full ? with_low_fidelity(std::move(*full)) : full;
      }
      low = low_->next();
      if (!low) return std::nullopt;
    }
    if (std::optional<Evaluation> answer = judged(std::move(*low))) return answer;
  }
}

/// Returns what the evaluation at the cheaper instance says: a failure or an estimate. Nothing where the
/// configuration is promoted.
std::optional<Evaluation> MultiFidelityEvaluator::judged(Evaluation low) {
  Evaluation answer = low;
  if (const std::optional<double> seconds = objective_value(low, Objective::time)) {
    const Configuration& configuration = low.configuration;
    const FidelityRatio::Estimate estimate =
        ratio_.estimate(group_of(configuration), options_.ratio(configuration), *seconds);
    const bool may_win = !fastest_ || estimate.optimistic <= *fastest_ * (1 + racing_tolerance);
    const bool is_near = fastest_ && estimate.seconds <= *fastest_ * audited_slowdown;
    const bool is_audit =
        !may_win && is_near && (ratio_.pairs() < first_pairs || ++not_promoted_ % audit_interval == 0);
    if (may_win || is_audit) {
      full_->submit(configuration);
      order_.push_front(false);
      std::string key = configuration.key();
      promoted_.insert_or_assign(std::move(key), std::move(low));
      return std::nullopt;
    }
    answer.estimate = estimate.seconds;
  }
  answer.low_fidelity = std::make_shared<const Evaluation>(std::move(low));
  return answer;
}

/// Learns from an evaluation at the instance itself, and adds what the cheaper one said.
Evaluation MultiFidelityEvaluator::with_low_fidelity(Evaluation full) {
  const std::optional<double> seconds = objective_value(full, Objective::time);
  if (seconds) fastest_ = std::min(fastest_.value_or(*seconds), *seconds);
  const auto found = promoted_.find(full.configuration.key());
  if (found == promoted_.end()) return full;
  Evaluation low = std::move(found->second);
  promoted_.erase(found);
  if (seconds)
    ratio_.add(group_of(full.configuration), options_.ratio(full.configuration),
               *objective_value(low, Objective::time), *seconds);
  if (!low.reused) full.phases += low.phases;
  full.low_fidelity = std::make_shared<const Evaluation>(std::move(low));
  return full;
}

void MultiFidelityEvaluator::drop() {
  low_->drop();
  full_->drop();
  answered_.clear();
  order_.clear();
  promoted_.clear();
}

void MultiFidelityEvaluator::stop_when(Stops stops) {
  low_->stop_when(stops);
  full_->stop_when(stops);
  Evaluator::stop_when(std::move(stops));
}

void MultiFidelityEvaluator::when_busy(std::function<void(Activity, std::size_t)> tell) {
  low_->when_busy(tell);
  full_->when_busy(tell);
  Evaluator::when_busy(std::move(tell));
}

std::optional<std::size_t> MultiFidelityEvaluator::in_flight() const {
  const auto low = low_->in_flight();
  return low ? low : full_->in_flight();
}

std::vector<DeviceShare> MultiFidelityEvaluator::devices() const {
  return full_->devices();
}

DeviceNews MultiFidelityEvaluator::take_news() {
  return full_->take_news();
}

std::string MultiFidelityEvaluator::notice() const {
  std::string full = full_->notice();
  return full.empty() ? low_->notice() : full;
}

}  // namespace tune
