// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace tune::online {

/// Limits of what trials may cost a running program.
struct TrialLimits {
  double slowdown = 0.1;        ///< share of the time of all calls so far that may be lost to trials
  std::size_t candidates = 50;  ///< tried at most, besides the one to start with
  std::size_t min_rounds = 6;   ///< of a comparison that is won; fewer give no interval of 95 %
  std::size_t max_rounds = 15;
  /// Where all is tried, one call of so many is timed, to see whether the times drift; 0: none.
  std::uint64_t watch_every = 16;
  std::size_t drift_calls = 30;  ///< timed calls in a row outside of the band that make a drift
};

/// Numbers the configurations: 0 is the first one, others count up as they are added.
using CandidateNumber = std::size_t;

/// The launch of a call.
struct Call {
  CandidateNumber candidate = 0;
  bool timed = false;  ///< the policy waits for `ended` with this call's ticket
  std::uint64_t ticket = 0;
};

/// The result of a candidate.
struct CallVerdict {
  CandidateNumber candidate = 0;
  /// Seconds, as if all had been timed beside the first best; nothing where it failed.
  std::optional<double> cost;
  std::vector<double> ratios;  ///< of its times to the best's beside it, in the order taken
  bool became_best = false;
};

/// Decides, call after call, which configuration runs: nearly always the best so far, now and then another
/// one, which is compared with the best in rounds (a call of the one, a call of the other), so that what
/// slows the device down slows both. Needs no device and no clock: it is told the times of calls once they
/// are known.
///
/// Budget: a trial is made only if what all trials have lost so far, and what this one is expected to lose,
/// is at most `slowdown` of the time of all calls. The expected loss of a candidate that has never run is the
/// average loss of first trials so far, and at least one execution of the best. So a single candidate that is
/// far slower than any before it may exceed the budget by one call; no other follows until the time of all
/// calls has made up for it. One timed call is under way at a time.
///
/// The first call of a candidate is a warm-up (loading, caches); one that takes three times as long as the
/// best is out. Then one is out as soon as its smallest ratio is above 1 by a slack (25 % where the warm-up
/// was as slow, 10 %, then 2 % from the third round on). It becomes the best when at least `min_rounds`
/// give a 95 % interval of the median ratio that lies below 1, and is out after `max_rounds`.
///
/// Drift: where nothing is left to try, one call of `watch_every` is timed. The first 15 of these times make
/// the band of the best: their median, and to both sides 5 % or twice the half of the 95 % interval, if that
/// is more. `drift_calls` times in a row on one side of the band are a drift: other inputs, other neighbours
/// or another clock may have another best configuration. `reopen` then lets trials begin again, with a budget
/// that starts from nothing. Not thread-safe.
class Policy {
 public:
  explicit Policy(TrialLimits limits) : limits_(limits) {}

  /// Adds a candidate that is ready to be launched.
  CandidateNumber add();
  /// States that no more will be added.
  void close() { closed_ = true; }
  /// Begins anew after a drift: `again` are tried again, and further ones may be added.
  void reopen(const std::vector<CandidateNumber>& again);
  /// True while the times are outside of the band, until `reopen`.
  bool drifted() const { return drifted_; }
  /// While paused no call is a trial and none is timed for one.
  void pause(bool paused) { paused_ = paused; }
  /// Returns how many were added and are not decided.
  std::size_t waiting() const { return queue_.size(); }

  Call next();
  /// The next call of the trial in progress, whatever the budget is, for a caller that waits for its times.
  /// It counts neither as time nor as loss. Nothing where another timed call is under way or there is no
  /// candidate.
  std::optional<Call> next_of_trial();
  /// Returns the best, for a call that cannot be timed.
  Call plain();
  /// Ends all trials: undecided candidates are forgotten.
  void stop();
  /// Takes the seconds of a timed call; without a value they are not known. A `disturbed` call, beside which
  /// other kernels ran, counts as time and as loss, and is repeated.
  void ended(std::uint64_t ticket, std::optional<double> seconds, bool disturbed = false);
  /// Removes a candidate that could not be launched. Its call becomes one of the best's.
  void failed(CandidateNumber candidate);

  CandidateNumber best() const { return best_; }
  /// True when no candidate is left to try.
  bool settled() const { return closed_ && queue_.empty(); }
  /// Returns how many candidates were decided.
  std::size_t decided() const { return decided_; }
  /// Returns the results since the last call, in order.
  std::vector<CallVerdict> take_verdicts();
  bool has_verdicts() const { return !verdicts_.empty(); }

  std::uint64_t calls() const { return calls_; }
  /// Returns the seconds of all calls; untimed ones count as long as the best.
  double seconds() const { return seconds_; }
  /// Returns the seconds that trials lost.
  double lost() const { return lost_; }
  /// Returns the seconds of the best, by its last timed calls; 0 before the first.
  double reference() const;
  /// Returns the seconds of the best on the scale of `CallVerdict::cost`.
  double best_cost() const;
  /// Returns the last times of the best on the scale of `CallVerdict::cost`; empty before the first.
  std::vector<double> best_samples() const;
  /// Returns the times of candidate 0 when the first trial began; empty before.
  const std::vector<double>& first_samples() const { return first_samples_; }

 private:
  enum class Part { warm_up_best, best, trial, watch };
  struct Open {
    std::uint64_t ticket;
    Part part;
    bool is_free = false;  ///< counts neither as time nor as loss
  };

  bool may_try() const;
  Call timed(Part part, bool is_free);
  void watch(double seconds);
  double expected_loss() const;
  void end_trial(double seconds, bool disturbed, bool is_free);
  void judge();
  void decide(std::optional<double> cost, bool wins);
  void add_best(double seconds);

  TrialLimits limits_;
  std::deque<CandidateNumber> queue_;  ///< the first is being tried
  std::size_t added_ = 0;
  bool closed_ = false;

  CandidateNumber best_ = 0;
  double first_cost_ = 0;  ///< of candidate 0: its reference when the first trial began
  std::vector<double> first_samples_;
  double chain_ = 1;           ///< cost of the best by that of candidate 0
  std::deque<double> recent_;  ///< the best's last times
  bool best_warm_ = false;

  std::optional<Open> open_;
  std::uint64_t tickets_ = 0;
  bool trial_warm_ = false;
  double first_ratio_ = 1;            ///< of its first call to the reference
  std::optional<double> trial_time_;  ///< awaits the best's time beside it
  double last_trial_ = 0;             ///< seconds
  std::vector<double> ratios_;
  std::vector<CallVerdict> verdicts_;

  std::uint64_t calls_ = 0;
  double seconds_ = 0, lost_ = 0;
  double first_losses_ = 0;
  std::size_t first_trials_ = 0;

  bool paused_ = false, drifted_ = false;
  std::vector<double> watched_;              ///< the times that make the band, until there are enough
  double band_low_ = 0, band_high_ = 0;      ///< 0: not known yet
  double seconds_base_ = 0, lost_base_ = 0;  ///< when trials began again
  std::size_t decided_ = 0;
  int outside_ = 0;  ///< times in a row: above where positive, below where negative
};

}  // namespace tune::online
