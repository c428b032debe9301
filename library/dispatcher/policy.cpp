// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/policy.hpp"

#include <algorithm>
#include <utility>

#include "tuner/evaluation/evaluation.hpp"

namespace tune::online {
namespace {

/// Times of the best from which its reference is computed: enough to drop outliers, few enough to follow a
/// drift.
constexpr std::size_t max_recent = 9;
constexpr std::size_t min_recent = 3;
/// The limit of a first call's time, relative to the best.
constexpr double hopeless = 3;

/// Returns how far the smallest of so many ratios may be above 1.
double slack(std::size_t rounds) {
  return rounds == 1 ? 0.25 : rounds == 2 ? 0.1 : 0.02;
}

}  // namespace

CandidateNumber Policy::add() {
  queue_.push_back(++added_);
  return added_;
}

double Policy::reference() const {
  return recent_.empty() ? 0 : median({recent_.begin(), recent_.end()});
}

double Policy::best_cost() const {
  return (first_cost_ > 0 ? first_cost_ : reference()) * chain_;
}

double Policy::expected_loss() const {
  const double usual = reference();
  if (trial_warm_) return std::max(0.0, last_trial_ - usual);
  const double mean = first_trials_ > 0 ? first_losses_ / static_cast<double>(first_trials_) : 0;
  return std::max(usual, mean);
}

bool Policy::may_try() const {
  return recent_.size() >= min_recent && lost_ + expected_loss() <= limits_.slowdown * seconds_;
}

Call Policy::next() {
  ++calls_;
  Call call{best_, false, 0};
  const auto time_it = [&](Part part) {
    call.timed = true;
    call.ticket = ++tickets_;
    open_ = Open{call.ticket, part};
    if (part == Part::trial) call.candidate = queue_.front();
  };
  if (!open_ && !queue_.empty()) {
    if (!best_warm_)
      time_it(Part::warm_up_best);
    else if (trial_time_ || recent_.size() < min_recent)
      time_it(Part::best);
    else if (may_try())
      time_it(Part::trial);
  }
  if (!call.timed) seconds_ += reference();
  return call;
}

Call Policy::plain() {
  ++calls_;
  seconds_ += reference();
  return {best_, false, 0};
}

void Policy::stop() {
  queue_.clear();
  closed_ = true;
  open_.reset();
  trial_time_.reset();
  ratios_.clear();
  trial_warm_ = false;
}

std::vector<double> Policy::best_samples() const {
  std::vector<double> samples(recent_.begin(), recent_.end());
  const double now = reference();
  if (now > 0)
    for (double& seconds : samples) seconds *= best_cost() / now;
  return samples;
}

void Policy::ended(std::uint64_t ticket, std::optional<double> seconds, bool disturbed) {
  if (!open_ || open_->ticket != ticket) return;
  const Part part = open_->part;
  open_.reset();
  const double took = seconds.value_or(reference());
  seconds_ += took;
  if (part == Part::trial) {
    end_trial(took, disturbed || !seconds);
  } else if (part == Part::warm_up_best) {
    best_warm_ = true;
  } else if (seconds && !disturbed) {
    add_best(took);
  }
}

void Policy::add_best(double seconds) {
  recent_.push_back(seconds);
  if (recent_.size() > max_recent) recent_.pop_front();
  if (!trial_time_ || !(seconds > 0)) return;
  ratios_.push_back(*trial_time_ / seconds);
  trial_time_.reset();
  judge();
}

void Policy::end_trial(double seconds, bool disturbed) {
  const double usual = reference();
  const double loss = std::max(0.0, seconds - usual);
  lost_ += loss;
  last_trial_ = seconds;
  if (first_cost_ == 0) {
    first_cost_ = usual;
    first_samples_.assign(recent_.begin(), recent_.end());
  }
  if (trial_warm_) {
    if (!disturbed) trial_time_ = seconds;
    return;
  }
  trial_warm_ = true;
  first_ratio_ = usual > 0 ? seconds / usual : 1;
  first_losses_ += loss;
  ++first_trials_;
  if (!disturbed && seconds > hopeless * usual) {
    ratios_ = {seconds / usual};
    decide(best_cost() * seconds / usual, false);
  }
}

void Policy::judge() {
  const double smallest = std::ranges::min(ratios_);
  const auto cost = [&] { return best_cost() * median(ratios_); };
  // A single ratio may be an outlier, unless the first call was as slow.
  const bool alone = ratios_.size() == 1 && first_ratio_ <= 1 + slack(1);
  if (smallest > 1 + slack(ratios_.size()) && !alone) return decide(cost(), false);
  if (ratios_.size() < limits_.min_rounds) return;
  const MedianInterval interval = median_interval(ratios_, measuring_confidence);
  if (interval.high < 1) return decide(cost(), true);
  if (interval.low > 1 || ratios_.size() >= limits_.max_rounds) decide(cost(), false);
}

void Policy::decide(std::optional<double> cost, bool wins) {
  const CandidateNumber candidate = queue_.front();
  queue_.pop_front();
  if (wins) {
    const double ratio = median(ratios_);
    chain_ *= ratio;
    for (double& seconds : recent_) seconds *= ratio;  // the times that the new best would have taken
    best_ = candidate;
  }
  verdicts_.push_back({candidate, cost, std::move(ratios_), wins});
  ratios_.clear();
  trial_time_.reset();
  trial_warm_ = false;
  last_trial_ = 0;
}

void Policy::failed(CandidateNumber candidate) {
  const auto found = std::ranges::find(queue_, candidate);
  if (found == queue_.end()) return;
  if (found == queue_.begin()) {
    if (open_ && open_->part == Part::trial) open_.reset();
    seconds_ += reference();
    decide(std::nullopt, false);
    return;
  }
  queue_.erase(found);
  verdicts_.push_back({candidate, std::nullopt, {}, false});
}

std::vector<CallVerdict> Policy::take_verdicts() {
  return std::exchange(verdicts_, {});
}

}  // namespace tune::online
