// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/stopping_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>

#include "search/random.hpp"
#include "tuner/base/format.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/measurement/median_interval.hpp"

namespace tune {
namespace {

/// Times with a median of `median`: lognormal, with some outliers upwards, as a device's are.
class Noise {
 public:
  Noise(double median, double sigma, double outliers, std::uint64_t seed)
      : median_(median), sigma_(sigma), outliers_(outliers), random_(seed) {}

  double next() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    const double normal = radius * std::cos(2 * std::numbers::pi * uniform());
    const double time = median_ * std::exp(sigma_ * normal);
    return uniform() < outliers_ ? time * (1.1 + 0.4 * uniform()) : time;
  }

 private:
  double uniform() { return random_.uniform(); }
  double median_, sigma_, outliers_;
  search::Random random_;
};

struct Stop {
  StopReason reason;
  std::vector<double> samples;
};

/// Measures as the device does: whole batches, a decision after each.
Stop measure(const MeasureOptions& options, Noise& noise, double seconds_each = 1e-5) {
  StoppingRule rule(options);
  Stop stop = {StopReason::time, {}};
  for (;;) {
    const int batch = rule.next_batch();
    if (batch < 1) throw std::logic_error("an empty batch");
    for (int i = 0; i < batch; ++i) {
      stop.samples.push_back(noise.next());
      rule.add(stop.samples.back());
    }
    if (const auto reason = rule.decision(seconds_each * static_cast<double>(stop.samples.size()))) {
      stop.reason = *reason;
      return stop;
    }
  }
}

/// The same time again and again.
Stop measure_constant(const MeasureOptions& options, double time) {
  Noise noise(time, 0, 0, 1);
  return measure(options, noise);
}

MeasureOptions racing(double incumbent_seconds) {
  MeasureOptions options;
  options.incumbent_seconds = incumbent_seconds;
  return options;
}

TEST(MedianInterval, TakesItsRanksFromTheBinomialDistribution) {
  // n = 6: 1 - 2/64; n = 10, second smallest to second largest: 1 - 2 * 11/1024; n = 20, sixth: 1 - 2 *
  // 0.0207.
  const std::vector<double> six = {6, 1, 5, 2, 4, 3};
  const MedianInterval small = median_interval(six, 0.95);
  EXPECT_EQ(small.median, 3.5);
  EXPECT_EQ(small.low, 1);
  EXPECT_EQ(small.high, 6);
  EXPECT_NEAR(small.confidence, 0.96875, 1e-12);
  std::vector<double> values;
  for (int i = 1; i <= 10; ++i) values.push_back(i);
  const MedianInterval ten = median_interval(values, 0.95);
  EXPECT_EQ(ten.low, 2);
  EXPECT_EQ(ten.high, 9);
  EXPECT_NEAR(ten.confidence, 1 - 22.0 / 1024, 1e-12);
  for (int i = 11; i <= 20; ++i) values.push_back(i);
  const MedianInterval twenty = median_interval(values, 0.95);
  EXPECT_EQ(twenty.low, 6);
  EXPECT_EQ(twenty.high, 15);
  EXPECT_NEAR(twenty.confidence, 0.958611, 1e-6);
}

TEST(MedianInterval, TooFewSamplesSayWhatTheyAreWorth) {
  const std::vector<double> one = {2};
  EXPECT_EQ(median_interval(one, 0.95).confidence, 0);
  EXPECT_EQ(median_interval(one, 0.95).low, 2);
  const std::vector<double> three = {3, 1, 2};
  const MedianInterval interval = median_interval(three, 0.95);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 3);
  EXPECT_NEAR(interval.confidence, 0.75, 1e-12);
  const std::vector<double> two = {1, 2};
  EXPECT_LE(median_interval(two, 0.01).low, median_interval(two, 0.01).high);
  EXPECT_THROW(median_interval({}, 0.95), std::logic_error);
  EXPECT_THROW(median_interval(one, 1), std::logic_error);
}

TEST(MedianInterval, WorksForThousandsOfSamples) {
  std::vector<double> values;
  for (int i = 0; i < 5000; ++i) values.push_back(i);
  const MedianInterval interval = median_interval(values, 0.95);
  EXPECT_NEAR(interval.low, 2500 - 0.98 * std::sqrt(5000), 2);  // normal approximation
  EXPECT_NEAR(interval.low + interval.high, 4999, 1e-9);
  EXPECT_GE(interval.confidence, 0.95);
  EXPECT_LT(interval.confidence, 0.953);
}

TEST(MedianInterval, HoldsTheTrueMedianAsOftenAsItSays) {
  for (const std::size_t count : {7u, 15u, 40u}) {
    int inside = 0;
    constexpr int repeats = 4000;
    Noise noise(1, 0.02, 0, count);
    for (int i = 0; i < repeats; ++i) {
      std::vector<double> samples;
      while (samples.size() < count) samples.push_back(noise.next());
      const MedianInterval interval = median_interval(samples, 0.95);
      if (interval.low <= 1 && 1 <= interval.high) ++inside;
    }
    EXPECT_GT(inside, 0.94 * repeats) << count;
  }
}

TEST(StoppingRule, ASteadyTimeEndsWithTheLeastSamples) {
  const Stop stop = measure_constant({}, 1e-4);
  EXPECT_EQ(stop.reason, StopReason::precise);
  EXPECT_EQ(stop.samples.size(), 7u);
}

TEST(StoppingRule, ATimeBelowTheClocksResolutionEnds) {
  EXPECT_EQ(measure_constant({}, 0).reason, StopReason::precise);
  EXPECT_EQ(measure_constant(racing(0), 0).reason, StopReason::precise);
}

TEST(StoppingRule, MoreNoiseTakesMoreSamples) {
  double before = 0;
  for (const double sigma : {0.002, 0.01, 0.02}) {
    Noise noise(1e-4, sigma, 0.02, 3);
    double samples = 0;
    for (int i = 0; i < 200; ++i) samples += static_cast<double>(measure({}, noise).samples.size()) / 200;
    EXPECT_GT(samples, before);
    before = samples;
  }
  EXPECT_LT(before, 45);
}

// Asking again and again after more samples makes the interval a little less sure than its 95 %.
TEST(StoppingRule, APreciseMedianIsRight) {
  for (const double sigma : {0.005, 0.01, 0.02}) {
    Noise noise(1e-4, sigma, 0, 5);
    int precise = 0, wrong = 0;
    for (int i = 0; i < 2000; ++i) {
      const Stop stop = measure({}, noise);
      if (stop.reason != StopReason::precise) continue;
      ++precise;
      if (std::abs(median(stop.samples) / 1e-4 - 1) > 0.01) ++wrong;
    }
    EXPECT_GT(precise, 1500) << sigma;
    EXPECT_LT(wrong, 0.05 * precise) << sigma;
  }
}

TEST(StoppingRule, OutliersNeitherShiftNorProlong) {
  Noise clean(1e-4, 0.003, 0, 7), spoilt(1e-4, 0.003, 0.08, 7);
  double clean_samples = 0, spoilt_samples = 0;
  for (int i = 0; i < 500; ++i) {
    clean_samples += static_cast<double>(measure({}, clean).samples.size());
    const Stop stop = measure({}, spoilt);
    spoilt_samples += static_cast<double>(stop.samples.size());
    EXPECT_LT(std::abs(median(stop.samples) / 1e-4 - 1), 0.02);
  }
  EXPECT_LT(spoilt_samples, 2 * clean_samples);
}

TEST(StoppingRule, EndsAtTheMostSamplesOrAtTheTime) {
  Noise noise(1e-4, 0.3, 0, 1);
  const Stop samples = measure({.max_samples = 20}, noise);
  EXPECT_EQ(samples.reason, StopReason::samples);
  EXPECT_EQ(samples.samples.size(), 20u);
  const Stop time = measure({.time_cap = 1}, noise, 0.1);
  EXPECT_EQ(time.reason, StopReason::time);
  EXPECT_LE(time.samples.size(), 12u);
  // The least number is taken however long it lasts.
  EXPECT_EQ(measure({.time_cap = 1}, noise, 10).samples.size(), 7u);
}

TEST(StoppingRule, MostBelowLeastMeansLeast) {
  Noise noise(1e-4, 0.3, 0, 1);
  EXPECT_EQ(measure({.min_samples = 9, .max_samples = 4}, noise).samples.size(), 9u);
  EXPECT_EQ(measure({.min_samples = 1, .max_samples = 1}, noise).samples.size(), 1u);
}

TEST(StoppingRule, WhatIsMuchSlowerStopsAfterAFewSamples) {
  for (const auto& [best, samples] : {std::pair{1e-4, 7u}, {1e-2, 3u}}) {  // cheap ones, and others
    const Stop stop = measure_constant(racing(best), 1.2 * best);
    EXPECT_EQ(stop.reason, StopReason::pruned);
    EXPECT_EQ(stop.samples.size(), samples);
  }
}

// Times in two groups 3.5 % apart, as some kernels have them: separate measurements have to agree.
TEST(StoppingRule, TheMedianOfWhatIsOutpacedRepeats) {
  std::mt19937_64 random(5);
  const auto run = [&] {
    StoppingRule rule(racing(1e-4));
    std::vector<double> samples;
    while (!rule.decision(0)) {
      samples.push_back((random() % 3 == 0 ? 4.98e-4 : 4.82e-4) *
                        (1 + 1e-6 * static_cast<double>(random() % 4000)));
      rule.add(samples.back());
    }
    return median_interval(samples, 0.95).median;
  };
  int apart = 0;
  for (int i = 0; i < 1000; ++i) {
    const double one = run(), other = run();
    if (std::max(one, other) > 1.02 * std::min(one, other)) ++apart;
  }
  EXPECT_LT(apart, 160);  // a third of all pairs with three samples alone
}

TEST(StoppingRule, LongSamplesThatAreFarSlowerAreEnough) {
  StoppingRule rule(racing(1e-2));
  EXPECT_EQ(rule.next_batch(), 1);
  rule.add(2.1e-2);
  EXPECT_EQ(rule.decision(0), StopReason::pruned);
  StoppingRule other(racing(1e-2));
  other.add(1.9e-2);
  EXPECT_EQ(other.decision(0), std::nullopt);
  EXPECT_EQ(other.next_batch(), 1);
  other.add(1.4e-2);
  EXPECT_EQ(other.decision(0), StopReason::pruned);
}

TEST(StoppingRule, TwoShortSamplesAreNeverEnough) {
  StoppingRule rule(racing(1e-4));
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(rule.decision(0), std::nullopt) << i;
    rule.add(4e-3);
  }
}

TEST(StoppingRule, LongSamplesFarFromTheFastestAreOutOfReach) {
  const StoppingRule rule(racing(1e-2));
  EXPECT_TRUE(rule.far_slower_than_incumbent(std::vector{2.1e-2, 2.5e-2}));
  EXPECT_FALSE(rule.far_slower_than_incumbent(std::vector{1.9e-2, 2.5e-2}));
  EXPECT_FALSE(StoppingRule(racing(1e-4)).far_slower_than_incumbent(std::vector{4e-3}));
  EXPECT_FALSE(StoppingRule({}).far_slower_than_incumbent(std::vector{1.0}));
}

TEST(StoppingRule, WhatIsALittleSlowerNeedsMoreSamples) {
  const Stop stop = measure_constant(racing(1e-4), 1.06e-4);
  EXPECT_EQ(stop.reason, StopReason::pruned);
  EXPECT_EQ(stop.samples.size(), 7u);
  EXPECT_EQ(measure_constant(racing(1e-4), 1.019e-4).reason, StopReason::precise);
}

TEST(StoppingRule, OneFastSampleEndsTheRace) {
  StoppingRule rule(racing(1e-4));
  rule.add(1.01e-4);
  for (int i = 0; i < 6; ++i) rule.add(5e-4);
  EXPECT_NE(rule.decision(0), StopReason::pruned);
}

TEST(StoppingRule, WithoutARaceNothingIsOutpaced) {
  EXPECT_EQ(measure_constant({}, 1).reason, StopReason::precise);
}

TEST(StoppingRule, WhatCouldWinIsHardlyEverOutpaced) {
  // The worst case: in truth exactly at the tolerance, so that one in two samples is above it.
  for (const double sigma : {0.005, 0.01, 0.02}) {
    for (const double outliers : {0.0, 0.05, 0.1}) {
      for (const double best : {1e-4, 1e-2}) {
        Noise noise(1.02 * best, sigma, outliers, 11);
        constexpr int repeats = 5000;
        int stopped = 0;
        for (int i = 0; i < repeats; ++i)
          if (measure(racing(best), noise).reason == StopReason::pruned) ++stopped;
        EXPECT_LT(stopped, 0.01 * repeats) << best << ", sigma " << sigma << ", outliers " << outliers;
      }
    }
  }
}

TEST(StoppingRule, WhatCannotWinCostsFewSamples) {
  for (const auto& [slower, max] : {std::pair{2.5, 1.001}, {1.5, 2.1}, {1.15, 3.4}, {1.10, 5.0}}) {
    Noise noise(slower * 1e-2, 0.01, 0.05, 13);
    double samples = 0;
    for (int i = 0; i < 1000; ++i)
      samples += static_cast<double>(measure(racing(1e-2), noise).samples.size()) / 1000;
    EXPECT_LT(samples, max) << slower;
  }
}

TEST(StoppingRule, BatchesNeverPassAPointOfDecision) {
  StoppingRule rule(racing(1e-4));
  EXPECT_EQ(rule.next_batch(), 3);
  for (int i = 0; i < 3; ++i) rule.add(1.06e-4);
  EXPECT_EQ(rule.next_batch(), 3);  // outpaced at six, if it goes on like this
  StoppingRule slow(racing(1e-4));
  for (int i = 0; i < 3; ++i) slow.add(5e-4);
  EXPECT_EQ(slow.next_batch(), 4);  // outpaced already, and not sure enough to be stored
  rule.add(1.01e-4);
  EXPECT_EQ(rule.next_batch(), 3);  // to the least number: the race is over
  StoppingRule alone({});
  EXPECT_EQ(alone.next_batch(), 7);
  for (int i = 0; i < 59; ++i) alone.add(i);
  EXPECT_EQ(alone.next_batch(), 1);
}

/// The rule in one piece, with the numbers that decisions 0029 and 0030 give: what the criteria together have
/// to decide.
class WholeRule {
 public:
  explicit WholeRule(const MeasureOptions& options)
      : options_(options),
        min_(static_cast<std::size_t>(std::max(1, options.min_samples))),
        max_(std::max(min_, static_cast<std::size_t>(std::max(1, options.max_samples)))) {}

  void add(double sample) { sorted_.insert(std::ranges::upper_bound(sorted_, sample), sample); }

  std::optional<StopReason> decision(double seconds) const {
    const std::size_t n = sorted_.size();
    const bool stable = !has_short() || n >= max_ || (n >= min_ && precise());
    if (pruned(n) && stable) return StopReason::pruned;
    if (n < min_) return std::nullopt;
    if (precise()) return StopReason::precise;
    if (n >= max_) return StopReason::samples;
    if (seconds >= options_.time_cap) return StopReason::time;
    return std::nullopt;
  }

  int next_batch() const {
    const std::size_t n = sorted_.size();
    if (n >= max_) return 1;
    std::size_t target = n < min_ ? min_ : std::min(max_, n + std::max<std::size_t>(1, n / 4));
    if (options_.incumbent_seconds && !pruned(n)) {
      const bool all_long = n > 0 ? !has_short() : *options_.incumbent_seconds >= 5e-3;
      std::size_t race = std::max<std::size_t>(all_long ? 1 : 3, n + 1);
      while (n > 0 && race <= 9 && !pruned(race)) ++race;
      if (n == 0 || race <= 9) target = std::min(target, race);
    }
    return static_cast<int>(target - n);
  }

 private:
  bool has_short() const { return sorted_.front() < 5e-3; }
  bool precise() const {
    const MedianInterval interval = median_interval(sorted_, 0.95);
    return (interval.high - interval.low) / 2 <= options_.spread * interval.median;
  }
  bool pruned(std::size_t samples) const {
    if (!options_.incumbent_seconds || sorted_.empty() || samples == 0) return false;
    if (samples < 3 && has_short()) return false;
    const double slack = samples == 1   ? 1.0
                         : samples == 2 ? 0.3
                                        : 0.0125 * static_cast<double>(samples < 9 ? 9 - samples : 0);
    return sorted_.front() > *options_.incumbent_seconds * (1 + 0.02 + slack);
  }

  MeasureOptions options_;
  std::size_t min_, max_;
  std::vector<double> sorted_;
};

/// Over options, times, noise and incumbents of all kinds: the same batches, and the same answer after each.
TEST(StoppingRule, TheCriteriaTogetherDecideAsTheWholeRule) {
  search::Random random(7);
  std::map<std::optional<StopReason>, int> ends;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    MeasureOptions options;
    options.min_samples = static_cast<int>(12 * random.uniform());
    options.max_samples = static_cast<int>(70 * random.uniform());
    options.spread = 0.03 * random.uniform();
    options.time_cap = random.uniform();
    const double median = 1e-4 * std::pow(1000, random.uniform());  // short and long ones
    if (random.uniform() < 0.8) options.incumbent_seconds = median * (0.3 + 0.8 * random.uniform());
    Noise noise(median, 0.05 * random.uniform(), 0.1, seed);
    StoppingRule rule(options);
    WholeRule whole(options);
    double seconds = 0;
    std::optional<StopReason> end;
    while (!end) {
      const int batch = rule.next_batch();
      ASSERT_EQ(batch, whole.next_batch()) << seed;
      for (int i = 0; i < batch; ++i) {
        const double sample = noise.next();
        seconds += sample;
        rule.add(sample);
        whole.add(sample);
        ASSERT_EQ(rule.decision(seconds), whole.decision(seconds)) << seed;
      }
      end = rule.decision(seconds);
    }
    ++ends[end];
  }
  EXPECT_EQ(ends.size(), 4u) << "every reason was met";
}

TEST(StoppingRule, CriteriaSayWhatTheyAreAndWithWhichParameters) {
  const auto names = [](const StoppingRule& rule) {
    std::vector<std::string> all;
    for (const auto& criterion : rule.criteria()) {
      all.emplace_back(criterion->name());
      for (const auto& [name, value] : criterion->parameters()) all.push_back(format("{}={:g}", name, value));
    }
    return all;
  };
  const std::vector<std::string> alone = {"precision",     "max_noise=0.01", "min_samples=7",
                                          "sample limit",  "max_samples=60", "time limit",
                                          "max_seconds=1", "min_samples=7"};
  EXPECT_EQ(names(StoppingRule({})), alone);
  std::vector<std::string> in_a_race = {"racing", "incumbent_seconds=0.0001"};
  in_a_race.insert(in_a_race.end(), alone.begin(), alone.end());
  EXPECT_EQ(names(StoppingRule(racing(1e-4))), in_a_race);
}

TEST(StoppingRule, RefusesWhatIsNoTime) {
  StoppingRule rule({});
  EXPECT_THROW(rule.add(-1), std::invalid_argument);
  EXPECT_THROW(rule.add(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
}

}  // namespace
}  // namespace tune
