// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/rerank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "search/random.hpp"
#include "tuner/measurement/stopping_rule.hpp"

namespace tune {
namespace {

Configuration named(int number) {
  return {{"n", number}};
}

Evaluation measured(int number, std::vector<double> samples, std::string hash = "") {
  Evaluation evaluation;
  evaluation.configuration = named(number);
  Measurement measurement;
  measurement.samples = std::move(samples);
  evaluation.outcome = std::move(measurement);
  evaluation.binary_hash = hash.empty() ? "code " + std::to_string(number) : std::move(hash);
  return evaluation;
}

RerankPlace place(int number, const std::vector<double>& seconds) {
  RerankPlace result;
  result.configuration = named(number);
  for (const double one : seconds) result.rounds.push_back({one, 0});
  return result;
}

std::vector<int> numbers_of(const std::vector<RerankPlace>& places) {
  std::vector<int> result;
  for (const RerankPlace& one : places) result.push_back(static_cast<int>(one.configuration["n"].as_int()));
  return result;
}

/// A device with noise of its own: a true time for each configuration, drift that all share in a run, and
/// a small difference of each load.
class NoisyDevice : public RerankDevice {
 public:
  NoisyDevice(std::map<int, double> times, double sigma, std::uint64_t seed)
      : times_(std::move(times)), sigma_(sigma), random_(seed) {
    for (auto& [number, time] : times_) time *= std::exp(0.001 * normal());  // of this run
  }
  void begin_rerank(std::span<const Configuration> top_k) override {
    for (const Configuration& one : top_k) announced_.push_back(static_cast<int>(one["n"].as_int()));
  }
  Result<Timing> time_candidate(std::size_t index) override {
    ++turns;
    order.push_back(announced_.at(index));
    if (order.back() == failing) return fail(Phase::verify, "wrong result", "at 3");
    Timing timing;
    for (int i = 0; i < 5; ++i) timing.samples.push_back(sample(order.back()));
    return timing;
  }
  double sample(int number) {
    drift_ += 0.0005 * normal();
    const double outlier = random_.uniform() < 0.03 ? 1.1 + 0.4 * random_.uniform() : 1.0;
    return times_.at(number) * (1 + drift_) * std::exp(sigma_ * normal()) * outlier;
  }

  int turns = 0;
  int failing = -1;
  std::vector<int> order;

 private:
  double normal() {
    return std::sqrt(-2 * std::log(1 - random_.uniform())) *
           std::cos(2 * std::numbers::pi * random_.uniform());
  }
  std::map<int, double> times_;
  double sigma_;
  search::Random random_;
  double drift_ = 0;
  std::vector<int> announced_;
};

const auto never = [] { return false; };

TEST(TopCandidates, AreTheBestWithinAShare) {
  TopCandidates top_candidates(Objective::time);
  for (int i = 0; i < 20; ++i)
    top_candidates.add(measured(i, std::vector<double>(7, 1e-3 + 5e-6 * (19 - i))));
  const auto chosen = top_candidates.top_k({.within = 0.0301});
  ASSERT_EQ(chosen.size(), 7u);  // 1 to 1.03
  EXPECT_EQ(chosen.front().configuration, named(19));
  EXPECT_EQ(chosen.back().configuration, named(13));
  EXPECT_EQ(top_candidates.top_k({.top_k = 4}).size(), 4u);
  EXPECT_EQ(top_candidates.best()->configuration, named(19));
}

TEST(TopCandidates, AnUncertainTimeMayStillBeTheBest) {
  TopCandidates top_candidates(Objective::time);
  top_candidates.add(measured(1, std::vector<double>(7, 1.0)));
  top_candidates.add(measured(2, {1.01, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2}));
  top_candidates.add(measured(3, std::vector<double>(7, 1.2)));
  const auto chosen = top_candidates.top_k({});
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[1].configuration, named(2));
}

TEST(TopCandidates, EqualMachineCodeIsOneFinalist) {
  TopCandidates top_candidates(Objective::time);
  for (int i = 0; i < 5; ++i) top_candidates.add(measured(i, {1, 1.01}, "same"));
  top_candidates.add(measured(5, {1.01, 1.02}));
  top_candidates.add(measured(6, {1.02, 1.02}));
  EXPECT_EQ(top_candidates.top_k({.top_k = 2}).size(), 6u);
}

TEST(TopCandidates, FailuresAndTheRemovedAreOut) {
  TopCandidates top_candidates(Objective::time);
  Evaluation failure = measured(1, {});
  failure.outcome = fail(Phase::crash, "fault", "");
  top_candidates.add(failure);
  EXPECT_EQ(top_candidates.best(), nullptr);
  top_candidates.add(measured(2, {1}));
  top_candidates.remove(named(2));
  EXPECT_TRUE(top_candidates.top_k({}).empty());
}

TEST(TopCandidates, AThousandAreKeptBounded) {
  TopCandidates top_candidates(Objective::time);
  for (int i = 0; i < 1000; ++i) top_candidates.add(measured(i, {1e-3 + (i * 7919 % 1000) * 1e-9}));
  EXPECT_EQ(top_candidates.top_k({.top_k = 10'000}).size(), 128u);
  EXPECT_EQ(top_candidates.best()->configuration, named(0));
}

// A turn of an execution of 50 ms takes half a second.
TEST(TopCandidates, AreFewerWhereExecutionsAreLong) {
  const auto top_k = [](double seconds) {
    TopCandidates top_candidates(Objective::time);
    for (int i = 0; i < 30; ++i)
      top_candidates.add(measured(i, std::vector<double>(9, seconds * (1 + 0.0001 * i))));
    return top_candidates.top_k({}).size();
  };
  EXPECT_EQ(top_k(1e-3), 12u);
  EXPECT_EQ(top_k(10e-3), 12u);
  EXPECT_EQ(top_k(20e-3), 6u);
  EXPECT_EQ(top_k(50e-3), 3u);
  EXPECT_EQ(top_k(10), 3u);
}

TEST(TopCandidates, OfAFrontAreItsMembers) {
  TopCandidates candidates(recorded_objective(objective_from_string("pareto:time,memory")));
  const auto add = [&](int number, double seconds, double memory) {
    Evaluation one = measured(number, std::vector<double>(7, 1e-4 * seconds));
    one.outcome->metrics = {{"memory", memory}};
    candidates.add(one);
  };
  for (int i = 1; i <= 9; ++i) add(i, i, 10 - i);
  add(20, 5.5, 5);  // worse than the fifth
  add(21, 10, 1);   // than the ninth
  add(5, 5, 5);     // known again
  std::set<int> members;
  for (const Evaluation& one : candidates.top_k({}))
    members.insert(static_cast<int>(one.configuration["n"].as_int()));
  EXPECT_EQ(members, (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const auto some = candidates.top_k({.top_k = 3});
  ASSERT_EQ(some.size(), 3u);
  EXPECT_EQ(some[0].configuration, named(1)) << "the product of 9";
  EXPECT_EQ(some[1].configuration, named(9));
  EXPECT_EQ(some[2].configuration, named(5)) << "the middle";
  candidates.remove(named(5));
  members.clear();
  for (const Evaluation& one : candidates.top_k({}))
    members.insert(static_cast<int>(one.configuration["n"].as_int()));
  EXPECT_EQ(members, (std::set<int>{1, 2, 3, 4, 20, 6, 7, 8, 9})) << "it hid another one";
}

TEST(RerankOptions, HaveFewerRoundsWhereExecutionsAreLong) {
  EXPECT_EQ(RerankOptions{}.for_executions_of(5e-3).max_rounds, 15u);
  EXPECT_EQ(RerankOptions{}.for_executions_of(12e-3).max_rounds, 12u);
  EXPECT_EQ(RerankOptions{}.for_executions_of(1).max_rounds, 6u) << "fewer give no interval";
  RerankOptions none;
  none.top_k = 0;
  EXPECT_EQ(none.for_executions_of(1).top_k, 0u);
}

TEST(RankTopK, ComparesRoundByRound) {
  // The device becomes 20 % slower on its way; the second is always 2 % slower.
  std::vector<double> fast, slow;
  for (int i = 0; i < 8; ++i) fast.push_back(1 + 0.025 * i);
  for (const double time : fast) slow.push_back(1.02 * time);
  const auto places = rank_top_k({place(2, slow), place(1, fast)}, Objective::time);
  EXPECT_EQ(numbers_of(places), (std::vector<int>{1, 2}));
  EXPECT_TRUE(places[0].tied);
  EXPECT_EQ(places[0].ratio.median, 1);
  EXPECT_NEAR(places[1].ratio.median, 1.02, 1e-12);
  EXPECT_FALSE(places[1].tied);
  EXPECT_LT(places[0].time.low, places[0].time.median);
}

TEST(RankTopK, TiesUnlessItIsSlowerForSure) {
  const std::vector<double> one(8, 1.0);
  const std::vector<double> uncertain = {0.97, 1.02, 1.02, 1.02, 1.02, 1.02, 0.96, 1.02};
  const std::vector<double> close(8, 1.004);
  const std::vector<double> apart(8, 1.006);
  const auto places =
      rank_top_k({place(1, one), place(2, uncertain), place(3, close), place(4, apart)}, Objective::time);
  EXPECT_EQ(numbers_of(places), (std::vector<int>{1, 3, 4, 2}));
  EXPECT_TRUE(places[1].tied);
  EXPECT_FALSE(places[2].tied);
  EXPECT_TRUE(places[3].tied);
}

// The median of the first is smaller, and the second is faster in seven of nine rounds.
TEST(RankTopK, NoTieIsFasterThanTheWinner) {
  const auto places = rank_top_k(
      {place(1, {1, 1, 1, 1, 1, 2, 2, 2, 2}), place(2, {1.1, .99, .99, .99, 1.05, 1.9, 1.9, 1.9, 1.9})},
      Objective::time);
  EXPECT_EQ(numbers_of(places), (std::vector<int>{2, 1}));
  EXPECT_GT(places[1].ratio.median, 1);
}

TEST(RankTopK, AMetricIsThatOfTheRounds) {
  RerankPlace small = place(1, std::vector<double>(6, 2)), fast = place(2, std::vector<double>(6, 1));
  for (RerankRound& round : small.rounds) round.metrics = {{"memory", 1}};
  for (RerankRound& round : fast.rounds) round.metrics = {{"memory", 3}};
  RerankPlace neither = place(3, std::vector<double>(6, 2.5));
  for (RerankRound& round : neither.rounds) round.metrics = {{"memory", 2}};
  const auto named = [](const char* text) { return recorded_objective(objective_from_string(text)); };
  EXPECT_EQ(numbers_of(rank_top_k({fast, small, neither}, named("min:memory"))), (std::vector<int>{1, 3, 2}));
  EXPECT_EQ(numbers_of(rank_top_k({fast, small, place(4, {1})}, named("max:memory"))),
            (std::vector<int>{2, 1}))
      << "one has no memory";
  const auto front = rank_top_k({fast, small, neither}, named("pareto:time,memory"));
  EXPECT_EQ(numbers_of(front), (std::vector<int>{1, 2, 3})) << "by the product";
  EXPECT_TRUE(front[0].tied && front[1].tied);
  EXPECT_FALSE(front[2].tied) << "the first is better in both";
  EXPECT_EQ(fast.metrics(), (Metrics{{"memory", 3}}));
}

TEST(RankTopK, WhoLeftEarlyCannotWin) {
  const auto places = rank_top_k({place(1, std::vector<double>(6, 0.9)), place(2, std::vector<double>(9, 1))},
                                 Objective::time);
  EXPECT_EQ(numbers_of(places).front(), 2);
}

TEST(RankTopK, RanksByTheObjective) {
  RerankPlace quick = place(1, std::vector<double>(6, 1)), thrifty = place(2, std::vector<double>(6, 1.5));
  for (RerankRound& round : quick.rounds) round.energy = 10;
  for (RerankRound& round : thrifty.rounds) round.energy = 8;
  RerankPlace unknown = place(3, std::vector<double>(6, 0.1));
  EXPECT_EQ(numbers_of(rank_top_k({quick, thrifty, unknown}, Objective::energy)), (std::vector<int>{2, 1}));
  EXPECT_EQ(numbers_of(rank_top_k({quick, thrifty}, Objective::edp)), (std::vector<int>{1, 2}));
  EXPECT_EQ(numbers_of(rank_top_k({quick, thrifty, unknown}, Objective::time)), (std::vector<int>{3, 1, 2}));
}

TEST(RankTopK, TimesOfZeroAreATie) {
  const auto places = rank_top_k({place(1, {0, 0, 0}), place(2, {0, 0, 0})}, Objective::time);
  EXPECT_EQ(numbers_of(places), (std::vector<int>{1, 2}));
  EXPECT_TRUE(places[1].tied);
  EXPECT_TRUE(rank_top_k({}, Objective::time).empty());
}

TEST(RankAgain, NeedsEveryFinalist) {
  RerankResult earlier;
  earlier.places = {place(1, {1, 1}), place(2, {2, 2}), place(3, {3, 3})};
  const std::vector<Evaluation> some = {measured(2, {2}), measured(3, {3})};
  EXPECT_EQ(numbers_of(rank_again(some, earlier, Objective::time)), (std::vector<int>{2, 3}));
  const std::vector<Evaluation> more = {measured(2, {2}), measured(4, {3})};
  EXPECT_TRUE(rank_again(more, earlier, Objective::time).empty());
}

TEST(ConfirmTopK, TakeTurnsInBothDirections) {
  NoisyDevice device({{0, 1}, {1, 1}, {2, 1}}, 0.001, 1);
  const std::vector<Evaluation> top_k = {measured(0, {1}), measured(1, {1}), measured(2, {1})};
  confirm_top_k(top_k, device, Objective::time, {}, never);
  EXPECT_EQ(std::vector<int>(device.order.begin(), device.order.begin() + 6),
            (std::vector<int>{0, 1, 2, 2, 1, 0}));
}

TEST(ConfirmTopK, AllTakePartWithoutALimitOfTime) {
  NoisyDevice device({{0, 1}, {1, 1}, {2, 1}, {3, 1}}, 0.001, 1);
  std::vector<Evaluation> top_k;
  for (int i = 0; i < 4; ++i) top_k.push_back(measured(i, {1}));
  const auto places_with = [&](double left) {
    return confirm_top_k(top_k, device, Objective::time, {}, never, [left] { return left; }).places.size();
  };
  EXPECT_EQ(places_with(std::numeric_limits<double>::infinity()), 4u);
  EXPECT_EQ(places_with(1000), 4u);
}

TEST(ConfirmTopK, WhatIsClearlySlowerLeaves) {
  NoisyDevice device({{0, 1}, {1, 1.04}}, 0.003, 1);
  const std::vector<Evaluation> top_k = {measured(0, {1}), measured(1, {1.04})};
  const RerankResult rerank = confirm_top_k(top_k, device, Objective::time, {}, never);
  EXPECT_EQ(device.turns, 12);
  EXPECT_FALSE(rerank.places[1].tied);
}

/// Reads the energy of configuration 1 never, and of the others every second time.
class ForgetfulDevice : public NoisyDevice {
 public:
  using NoisyDevice::NoisyDevice;
  Result<Timing> time_candidate(std::size_t index) override {
    Result<Timing> timing = NoisyDevice::time_candidate(index);
    const int number = order.back();
    timing->energy = number != 1 && ++tries_[number] % 2 == 0 ? number : 0;
    return timing;
  }

 private:
  std::map<int, int> tries_;
};

TEST(ConfirmTopK, AnEnergyThatIsNotReadIsTimedOnceMore) {
  std::vector<Evaluation> top_k;
  for (const int number : {1, 2, 3}) {
    top_k.push_back(measured(number, std::vector<double>(7, 1e-3)));
    top_k.back().outcome->energy = number;
  }
  ForgetfulDevice device({{1, 1e-3}, {2, 1e-3}, {3, 1e-3}}, 0.001, 5);
  const RerankResult rerank = confirm_top_k(top_k, device, Objective::energy, {}, never);
  EXPECT_EQ(numbers_of(rerank.places), (std::vector<int>{2, 3}));
  ASSERT_EQ(rerank.failures.size(), 1U);
  const Failure& failure = rerank.failures.front().outcome.error();
  EXPECT_EQ(failure.reason, energy_not_read);
  EXPECT_TRUE(is_accident(failure, 1)) << "its measurement stays";
}

TEST(ConfirmTopK, AFailureIsOutWithAllOfItsCode) {
  NoisyDevice device({{0, 1}, {1, 1}, {2, 1}}, 0.003, 1);
  device.failing = 0;
  const std::vector<Evaluation> top_k = {measured(0, {1}, "a"), measured(1, {1}, "a"), measured(2, {1})};
  const RerankResult rerank = confirm_top_k(top_k, device, Objective::time, {}, never);
  EXPECT_EQ(numbers_of(rerank.places), (std::vector<int>{2}));
  ASSERT_EQ(rerank.failures.size(), 2u);
  EXPECT_EQ(rerank.failures[1].configuration, named(1));
  EXPECT_EQ(rerank.failures[0].outcome.error().reason, "wrong result");
  EXPECT_EQ(std::ranges::count(device.order, 0), 1);
}

/// 200 configurations, the best of them close together, measured and brought to the finals.
RerankResult tune_once(double sigma, std::uint64_t seed) {
  std::map<int, double> times;
  for (int i = 0; i < 200; ++i) times[i] = 1e-4 * (1 + 0.0025 * i);
  NoisyDevice device(times, sigma, seed);
  TopCandidates top_candidates(Objective::time);
  for (int i = 0; i < 200; ++i) {
    StoppingRule rule({});
    std::vector<double> samples;
    while (!rule.decision(0)) {
      samples.push_back(device.sample(i));
      rule.add(samples.back());
    }
    top_candidates.add(measured(i, samples));
  }
  return confirm_top_k(top_candidates.top_k({}), device, Objective::time, {}, never);
}

TEST(ConfirmTopK, RepeatedTuningsAgreeOnTheWinnerUpToTies) {
  for (const double sigma : {0.003, 0.01}) {
    constexpr int repeats = 30;
    std::vector<int> winners;
    std::vector<std::set<int>> tied;
    for (int i = 0; i < repeats; ++i) {
      const RerankResult rerank = tune_once(sigma, static_cast<std::uint64_t>(i) + 1);
      winners.push_back(numbers_of(rerank.places).front());
      tied.emplace_back();
      for (const RerankPlace& one : rerank.places)
        if (one.tied) tied.back().insert(static_cast<int>(one.configuration["n"].as_int()));
      EXPECT_LE(tied.back().size(), 8u);
    }
    int disagree = 0;
    for (const int winner : winners)
      for (const auto& set : tied) disagree += set.contains(winner) ? 0 : 1;
    EXPECT_LT(disagree, 0.01 * repeats * repeats) << sigma;
  }
}

/// Twelve candidates that differ by 0.1 %, and a clock that a turn moves by 1 s.
RerankResult confirm_within(double seconds, NoisyDevice& device) {
  std::vector<Evaluation> top_k;
  for (int i = 0; i < 12; ++i) top_k.push_back(measured(i, std::vector<double>(7, 1e-3 * (1 + 0.001 * i))));
  return confirm_top_k(top_k, device, Objective::time, {}, never,
                       [&device, seconds] { return seconds - device.turns; });
}

NoisyDevice twelve() {
  std::map<int, double> times;
  for (int i = 0; i < 12; ++i) times[i] = 1e-3 * (1 + 0.001 * i);
  return {times, 0.002, 5};
}

TEST(Rerank, TakesOnlyAsManyAsTheTimeAllows) {
  NoisyDevice device = twelve();
  const RerankResult rerank = confirm_within(45, device);  // 12, and 33 for five rounds
  EXPECT_LE(device.turns, 45);
  EXPECT_FALSE(rerank.interrupted);
  ASSERT_EQ(rerank.places.size(), 6u);
  for (const RerankPlace& one : rerank.places) EXPECT_GE(one.rounds.size(), 5u);
}

TEST(Rerank, EndsWithTheRoundsThatItHasWhereTimeIsOver) {
  NoisyDevice device = twelve();
  const RerankResult rerank = confirm_within(13, device);
  EXPECT_LE(device.turns, 13);
  EXPECT_FALSE(rerank.interrupted);
  ASSERT_EQ(rerank.places.size(), 2u);
  for (const RerankPlace& one : rerank.places) EXPECT_EQ(one.rounds.size(), 1u) << "complete rounds count";

  NoisyDevice slow = twelve();
  EXPECT_EQ(confirm_within(3, slow).places.size(), 3u) << "no round is complete: what there is";
  EXPECT_EQ(slow.turns, 3);
}

}  // namespace
}  // namespace tune
