// SPDX-License-Identifier: Apache-2.0
// Tests which configuration a call runs, by invented times: noise, outliers, drift, failures, late answers;
// and the budget.
#include "library/dispatcher/policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <optional>

#include "search/random.hpp"

namespace tune::online {
namespace {

/// A program that calls a kernel again and again, on a device whose times are made up.
class Program {
 public:
  Program(std::vector<double> seconds, TrialLimits limits, std::uint64_t seed = 1)
      : policy(limits), truth_(std::move(seconds)), random_(seed) {}

  /// So many calls; candidates are added two ahead, as a compiler gets them ready.
  void run(int calls) {
    for (int i = 0; i < calls; ++i) call();
  }

  void call() {
    while (policy.waiting() < 2 && added_ + 1 < truth_.size()) {
      policy.add();
      if (++added_ + 1 == truth_.size()) policy.close();
    }
    if (!late_.empty() && late_.front().due <= count_) {
      policy.ended(late_.front().ticket, late_.front().seconds, late_.front().disturbed);
      late_.pop_front();
    }
    const double before = policy.lost();
    Call next = policy.next();
    if (fails.contains(next.candidate)) {
      ++launched[next.candidate];
      policy.failed(next.candidate);
      next = {policy.best(), false, 0};
    }
    const double plain = at(policy.best());
    const double seconds = at(next.candidate);
    ++launched[next.candidate];
    spent += seconds;
    lost += std::max(0.0, seconds - plain);
    ++count_;
    if (next.timed) {
      ++timed;
      const bool disturbed = random_.uniform() < disturbances;
      late_.push_back({next.ticket, seconds * (disturbed ? 1.5 : 1), count_ + latency, disturbed});
    }
    max_at_once = std::max(max_at_once, late_.size());
    worst_single = std::max(worst_single, seconds - plain);
    EXPECT_GE(policy.lost(), before);
  }

  Policy policy;
  double noise = 0.01;
  double outliers = 0;      ///< share of the times that are three times as long
  double disturbances = 0;  ///< share of the timed calls beside which something else runs
  int latency = 0;          ///< calls until a time is known
  std::function<double(int)> drift = [](int) { return 1.0; };
  std::map<CandidateNumber, int> launched;
  std::map<CandidateNumber, bool> fails;
  double spent = 0, lost = 0, worst_single = 0;
  int timed = 0;
  std::size_t max_at_once = 0;

  void change(CandidateNumber candidate, double seconds) { truth_[candidate] = seconds; }
  double truth(CandidateNumber candidate) const { return truth_[candidate]; }
  double fastest() const { return *std::ranges::min_element(truth_); }

 private:
  struct Late {
    std::uint64_t ticket;
    double seconds;
    int due;
    bool disturbed;
  };

  /// Two uniform numbers make a normal one (Box and Muller).
  double at(CandidateNumber candidate) {
    const double normal =
        std::sqrt(-2 * std::log(1 - random_.uniform())) * std::cos(6.283185307179586 * random_.uniform());
    const double outlier = random_.uniform() < outliers ? 3 : 1;
    return truth_[candidate] * std::exp(noise * normal) * drift(count_) * outlier;
  }

  std::vector<double> truth_;
  search::Random random_;
  std::size_t added_ = 0;
  std::deque<Late> late_;
  int count_ = 0;
};

std::vector<double> spread_times(std::uint64_t seed, std::size_t count) {
  search::Random random(seed);
  std::vector<double> times = {1e-3};
  while (times.size() < count) times.push_back(1e-3 * (0.5 + 2 * random.uniform()));
  return times;
}

/// Runs until the times drifted, at most so many calls; returns the calls, or nothing.
std::optional<int> calls_until_drift(Program& program, int most) {
  for (int i = 0; i < most; ++i) {
    if (program.policy.drifted()) return i;
    program.call();
  }
  return std::nullopt;
}

TEST(OnlinePolicyDrift, NoiseAndOutliersAreNone) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    Program program(spread_times(seed, 6), {}, seed);
    program.outliers = 0.02;
    EXPECT_EQ(calls_until_drift(program, 20000), std::nullopt) << seed;
    EXPECT_TRUE(program.policy.settled());
  }
}

TEST(OnlinePolicyDrift, TimesThatStayOutsideOfTheBandAreOne) {
  for (const double factor : {0.8, 1.2}) {
    Program program(spread_times(3, 6), {});
    program.run(5000);
    ASSERT_TRUE(program.policy.settled());
    program.drift = [factor](int) { return factor; };
    const auto calls = calls_until_drift(program, 2000);
    ASSERT_TRUE(calls) << factor;
    EXPECT_GE(*calls, 29 * 16) << "30 timed calls of every 16th";
    EXPECT_LE(*calls, 32 * 16);
    program.policy.reopen({});
    program.policy.close();
    EXPECT_EQ(calls_until_drift(program, 5000), std::nullopt) << "the new times have a band of their own";
  }
}

TEST(OnlinePolicyDrift, AShortDisturbanceIsNone) {
  Program program(spread_times(3, 6), {});
  program.run(5000);
  program.drift = [](int call) { return call / 400 % 2 == 0 ? 1.5 : 1.0; };
  EXPECT_EQ(calls_until_drift(program, 20000), std::nullopt);
}

TEST(OnlinePolicyDrift, AnotherConfigurationMayThenBeTheBest) {
  Program program({1e-3, 0.8e-3, 0.9e-3}, {});
  program.run(5000);
  ASSERT_EQ(program.policy.best(), 1U);
  program.change(1, 1.2e-3);
  ASSERT_TRUE(calls_until_drift(program, 2000));
  program.policy.reopen({2, 0});
  program.policy.close();
  const double lost = program.lost, spent = program.spent;
  program.run(20000);
  EXPECT_EQ(program.policy.best(), 2U);
  EXPECT_LE(program.lost - lost, 0.1 * (program.spent - spent) + 2e-3) << "within a budget of its own";
}

TEST(OnlinePolicy, WhilePausedNothingIsTried) {
  Program program(spread_times(5, 6), {});
  program.policy.pause(true);
  program.run(1000);
  EXPECT_EQ(program.launched.size(), 1U);
  EXPECT_EQ(program.timed, 0);
  program.policy.pause(false);
  program.run(5000);
  EXPECT_TRUE(program.policy.settled());
}

TEST(OnlinePolicy, ATrialThatIsAskedForIsFree) {
  Policy policy({});
  policy.add();
  policy.close();
  int calls = 0;
  while (const auto call = policy.next_of_trial()) {
    ASSERT_LT(++calls, 40);
    EXPECT_FALSE(policy.next_of_trial()) << "one at a time";
    policy.ended(call->ticket, call->candidate == 1 ? 0.5 : 1.0);
  }
  EXPECT_EQ(policy.best(), 1U);
  EXPECT_EQ(policy.decided(), 1U);
  EXPECT_EQ(policy.seconds(), 0);
  EXPECT_EQ(policy.lost(), 0);
}

TEST(OnlinePolicy, FindsTheFastestWithinTheBudget) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Program program(spread_times(seed, 31), {}, seed);
    program.run(20000);
    EXPECT_TRUE(program.policy.settled()) << seed;
    EXPECT_LE(program.lost, 0.1 * program.spent) << seed;
    if (program.truth(program.policy.best()) <= 1.02 * program.fastest()) ++found;
  }
  EXPECT_GE(found, 198);
}

// Never more than the budget and what the worst single call lost, at any moment.
TEST(OnlinePolicy, TheBudgetIsKeptAtEveryCall) {
  for (const double slowdown : {0.02, 0.1, 0.3}) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      Program program(spread_times(seed, 41), {.slowdown = slowdown}, seed);
      program.noise = 0.02;
      for (int i = 0; i < 3000; ++i) {
        program.call();
        ASSERT_LE(program.policy.lost(), slowdown * program.policy.seconds() + program.worst_single) << i;
      }
      EXPECT_NEAR(program.policy.seconds(), program.spent, 0.05 * program.spent);
      EXPECT_LE(program.policy.lost(), program.lost + 1e-3);
    }
  }
}

TEST(OnlinePolicy, AFirstTrialWaitsUntilItsCostIsEarned) {
  Program program({1e-3, 2e-3}, {.slowdown = 0.1});
  program.noise = 0;
  program.run(9);
  EXPECT_EQ(program.launched[1], 0) << "an execution of the best may be lost: ten calls have to pay for it";
  program.run(4);
  EXPECT_EQ(program.launched[1], 1);
}

TEST(OnlinePolicy, WithoutABudgetNothingIsTried) {
  Program program({1e-3, 5e-4}, {.slowdown = 0});
  program.run(1000);
  EXPECT_EQ(program.launched[1], 0);
  EXPECT_EQ(program.policy.best(), 0U);
}

TEST(OnlinePolicy, WhatIsFarSlowerRunsOnce) {
  Program program({1e-3, 5e-2}, {});
  program.run(5000);
  EXPECT_EQ(program.launched[1], 1);
  EXPECT_TRUE(program.policy.settled());
  const auto verdicts = program.policy.take_verdicts();
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_NEAR(*verdicts[0].cost, 5e-2, 5e-3);
  EXPECT_FALSE(verdicts[0].became_best);
}

// After one that was fifty times slower than the best, the next first trial waits for fifty executions'
// worth.
TEST(OnlinePolicy, LearnsWhatFirstTrialsCost) {
  Program program({1e-3, 5e-2, 5e-2}, {.slowdown = 0.1});
  program.noise = 0;
  while (program.launched[1] == 0) program.call();
  const double after_first = program.spent;
  while (program.launched[2] == 0) program.call();
  EXPECT_GE(program.spent, 0.9 * (2 * 49e-3) / 0.1) << after_first;
}

// A candidate that is 2 % slower is never chosen under noise of 1 %; among equals any may be chosen.
TEST(OnlinePolicy, NoiseDoesNotChoose) {
  int worse = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::vector<double> times(21, 1.02e-3);
    times[0] = 1e-3;
    Program program(times, {}, seed);
    program.run(20000);
    EXPECT_TRUE(program.policy.settled());
    if (program.policy.best() != 0) ++worse;
  }
  EXPECT_LE(worse, 2);
}

TEST(OnlinePolicy, OutliersDoNotChoose) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Program program({1e-3, 1.3e-3, 8e-4, 9.5e-4, 1.1e-3}, {.slowdown = 0.2}, seed);
    program.outliers = 0.05;
    program.run(20000);
    if (program.policy.best() == 2) ++found;
  }
  EXPECT_GE(found, 90);
}

TEST(OnlinePolicy, ADeviceThatSlowsDownChangesNothing) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Program program({1e-3, 1.05e-3, 9.5e-4, 1.05e-3, 1.1e-3}, {}, seed);
    program.drift = [](int call) { return 1 + 0.5 * std::min(call, 2000) / 2000.0; };  // by 50 %
    program.run(8000);
    EXPECT_TRUE(program.policy.settled());
    if (program.policy.best() == 2) ++found;
  }
  EXPECT_GE(found, 97);
}

TEST(OnlinePolicy, ASuddenSlowdownIsNoReasonToChange) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Program program({1e-3, 1.05e-3, 1.05e-3, 1.05e-3}, {}, seed);
    program.drift = [](int call) { return call / 97 % 2 == 0 ? 1.0 : 1.4; };
    program.run(8000);
    EXPECT_EQ(program.policy.best(), 0U) << seed;
  }
}

TEST(OnlinePolicy, TimesThatAreKnownLateAreWaitedForOneAtATime) {
  Program program({1e-3, 1.2e-3, 7e-4, 9e-4}, {.watch_every = 0});
  program.latency = 50;
  program.run(20000);
  EXPECT_TRUE(program.policy.settled());
  EXPECT_EQ(program.policy.best(), 2U);
  EXPECT_EQ(program.max_at_once, 1U);
  const int timed = program.timed;
  program.run(1000);
  EXPECT_EQ(program.timed, timed) << "once settled nothing is timed, unless drift is watched";
}

TEST(OnlinePolicy, DisturbedTimesAreTakenAgain) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Program program({1e-3, 9.7e-4, 1.1e-3}, {}, seed);
    program.disturbances = 0.3;
    program.run(20000);
    EXPECT_TRUE(program.policy.settled());
    if (program.policy.best() == 1) ++found;
  }
  EXPECT_GE(found, 48);
}

TEST(OnlinePolicy, WhatCannotBeLaunchedIsOut) {
  Program program({1e-3, 5e-4, 8e-4}, {});
  program.fails[1] = true;
  program.run(5000);
  EXPECT_EQ(program.policy.best(), 2U);
  EXPECT_EQ(program.launched[1], 1);
  for (const CallVerdict& verdict : program.policy.take_verdicts())
    EXPECT_EQ(verdict.cost.has_value(), verdict.candidate != 1);
}

TEST(OnlinePolicy, UnknownTimesDecideNothing) {
  Policy policy({});
  policy.add();
  policy.close();
  for (int i = 0; i < 1000; ++i) {
    const Call call = policy.next();
    if (call.timed) policy.ended(call.ticket, std::nullopt);
  }
  EXPECT_EQ(policy.best(), 0U);
  EXPECT_EQ(policy.lost(), 0);
  policy.ended(99999, 1.0);  // a ticket that was never issued
  EXPECT_EQ(policy.best(), 0U);
}

TEST(OnlinePolicy, CostsCompareAcrossChangesOfTheBest) {
  Program program({1e-3, 8e-4, 6e-4, 7e-4}, {.slowdown = 0.5, .watch_every = 0});
  program.noise = 0;
  program.drift = [](int call) { return 1 + call / 1000.0; };
  program.run(5000);
  EXPECT_EQ(program.policy.best(), 2U);
  const double scale = program.policy.best_cost() / 6e-4;
  for (const CallVerdict& verdict : program.policy.take_verdicts())
    EXPECT_NEAR(*verdict.cost / scale, program.truth(verdict.candidate), 2e-5) << verdict.candidate;
  const auto samples = program.policy.best_samples();
  ASSERT_FALSE(samples.empty());
  EXPECT_NEAR(samples.front() / program.policy.best_cost(), 1, 0.02);
}

TEST(OnlinePolicy, StopKeepsTheBestSoFar) {
  Program program({1e-3, 5e-4, 4e-4}, {});
  while (program.policy.best() == 0) program.call();
  program.policy.stop();
  EXPECT_TRUE(program.policy.settled());
  for (int i = 0; i < 100; ++i) {
    const Call call = program.policy.next();
    EXPECT_EQ(call.candidate, 1U);
    EXPECT_FALSE(call.timed);
  }
}

}  // namespace
}  // namespace tune::online
