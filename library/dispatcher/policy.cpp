// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/policy.hpp"

#include <algorithm>
#include <cstdlib>
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
/// Times that make the band of the best, and the least distance of its sides from their median.
constexpr std::size_t band_times = 15;
constexpr double band_width = 0.05;

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
  return recent_.size() >= min_recent &&
         lost_ - lost_base_ + expected_loss() <= limits_.slowdown * (seconds_ - seconds_base_);
}

Call Policy::timed(Part part, bool is_free) {
  open_ = Open{++tickets_, part, is_free};
  return {part == Part::trial ? queue_.front() : best_, true, open_->ticket};
}

Call Policy::next() {
  ++calls_;
  if (!open_ && !paused_) {
    if (queue_.empty()) {
      if (closed_ && !drifted_ && limits_.watch_every > 0 && calls_ % limits_.watch_every == 0)
        return timed(Part::watch, false);
    } else if (!best_warm_) {
      return timed(Part::warm_up_best, false);
    } else if (trial_time_ || recent_.size() < min_recent) {
      return timed(Part::best, false);
    } else if (may_try()) {
      return timed(Part::trial, false);
    }
  }
  seconds_ += reference();
  return {best_, false, 0};
}

std::optional<Call> Policy::next_of_trial() {
  if (open_ || queue_.empty()) return std::nullopt;
  ++calls_;
  if (!best_warm_) return timed(Part::warm_up_best, true);
  return timed(trial_time_ || recent_.size() < min_recent ? Part::best : Part::trial, true);
}

Call Policy::plain() {
  ++calls_;
  seconds_ += reference();
  return {best_, false, 0};
}

void Policy::stop() {
  limits_.watch_every = 0;
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
  const auto [_, part, is_free] = *open_;
  open_.reset();
  const double took = seconds.value_or(reference());
  if (!is_free) seconds_ += took;
  if (part == Part::trial) {
    end_trial(took, disturbed || !seconds, is_free);
  } else if (part == Part::watch) {
    if (seconds && !disturbed) watch(took);
  } else if (part == Part::warm_up_best) {
    best_warm_ = true;
  } else if (seconds && !disturbed) {
    add_best(took);
  }
}

void Policy::watch(double seconds) {
  recent_.push_back(seconds);
  if (recent_.size() > max_recent) recent_.pop_front();
  if (band_high_ == 0) {
    watched_.push_back(seconds);
    if (watched_.size() < band_times) return;
    const double middle = median(watched_);
    const MedianInterval interval = median_interval(std::exchange(watched_, {}), measuring_confidence);
    const double half = std::max(band_width * middle, interval.high - interval.low);
    band_low_ = middle - half;
    band_high_ = middle + half;
    return;
  }
  const int side = seconds > band_high_ ? 1 : seconds < band_low_ ? -1 : 0;
  outside_ = side == 0 || side * outside_ < 0 ? side : outside_ + side;
  drifted_ = static_cast<std::size_t>(std::abs(outside_)) >= limits_.drift_calls;
}

void Policy::reopen(const std::vector<CandidateNumber>& again) {
  queue_.assign(again.begin(), again.end());
  closed_ = drifted_ = false;
  band_low_ = band_high_ = 0;
  watched_.clear();
  outside_ = 0;
  // What the calls before took is no credit for these trials: all of them would run at once.
  seconds_base_ = seconds_;
  lost_base_ = lost_;
  while (recent_.size() > min_recent) recent_.pop_front();
}

void Policy::add_best(double seconds) {
  recent_.push_back(seconds);
  if (recent_.size() > max_recent) recent_.pop_front();
  if (!trial_time_ || !(seconds > 0)) return;
  ratios_.push_back(*trial_time_ / seconds);
  trial_time_.reset();
  judge();
}

void Policy::end_trial(double seconds, bool disturbed, bool is_free) {
  const double usual = reference();
  const double loss = std::max(0.0, seconds - usual);
  if (!is_free) lost_ += loss;
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
  if (!is_free) {
    first_losses_ += loss;
    ++first_trials_;
  }
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
  ++decided_;
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
  ++decided_;
  verdicts_.push_back({candidate, std::nullopt, {}, false});
}

std::vector<CallVerdict> Policy::take_verdicts() {
  return std::exchange(verdicts_, {});
}

}  // namespace tune::online
