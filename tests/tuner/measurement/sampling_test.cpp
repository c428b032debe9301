// SPDX-License-Identifier: Apache-2.0
#include "tuner/measurement/sampling.hpp"

#include <gmock/gmock.h>

#include <deque>

namespace tune {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr std::uint64_t idle = 0x1;
constexpr std::uint64_t fixed_clocks = 0x2;
constexpr std::uint64_t power_cap = 0x4;
constexpr std::uint64_t thermal = 0x20;

/// Samples of 1 ms, slower while the device is slowed down; each takes 2 ms of the device.
class InventedSampler : public Sampler {
 public:
  Result<std::vector<double>> take(int samples) override {
    batches.push_back(samples);
    if (static_cast<int>(batches.size()) == failing_batch) return fail(Phase::crash, "illegal address");
    seconds_ += 2e-3 * samples;
    return std::vector<double>(static_cast<std::size_t>(samples), slow ? 3e-3 : sample);
  }
  double device_seconds() const override { return seconds_; }
  std::uint64_t throttle_reasons() override {
    if (reasons.empty()) return always;
    const auto next = reasons.front();
    reasons.pop_front();
    return next;
  }
  void rest() override {
    ++rests;
    slow = slow_for_ever;
  }

  double sample = 1e-3;
  std::deque<std::uint64_t> reasons;  ///< at each question, `always` afterwards
  std::uint64_t always = 0;
  bool slow = false;
  bool slow_for_ever = false;
  int failing_batch = 0;
  std::vector<int> batches;
  int rests = 0;

 private:
  double seconds_ = 0;
};

MeasureOptions exactly(int samples) {
  MeasureOptions options;
  options.min_samples = options.max_samples = samples;
  return options;
}

TEST(Sampling, TakesWhatIsAskedFor) {
  for (const int samples : {1, 3, 64, 65, 200}) {
    InventedSampler sampler;
    const auto timing = take_samples(sampler, exactly(samples));
    ASSERT_TRUE(timing);
    EXPECT_EQ(timing->samples.size(), static_cast<std::size_t>(samples));
    EXPECT_EQ(timing->throttled, 0);
    EXPECT_EQ(timing->machine.throttle, "");
    EXPECT_THAT(sampler.batches, Each(::testing::Le(64)));
    EXPECT_EQ(sampler.rests, 0);
  }
}

TEST(Sampling, StopsWhenItIsPrecise) {
  InventedSampler sampler;
  const auto timing = take_samples(sampler, {});
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->stop, StopReason::precise);
  EXPECT_EQ(timing->samples.size(), 7u);
}

TEST(Sampling, StopsAfterAFewSamplesWhenOutpaced) {
  InventedSampler sampler;
  MeasureOptions options;
  options.incumbent_seconds = 0.5e-3;
  const auto timing = take_samples(sampler, options);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->stop, StopReason::pruned);
  EXPECT_THAT(sampler.batches, ElementsAre(3, 4));
}

TEST(Sampling, StopsAtTheCapOfTime) {
  InventedSampler sampler;
  MeasureOptions options;
  options.time_cap = 0.001;
  options.spread = -1;  // never precise
  const auto timing = take_samples(sampler, options);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->stop, StopReason::time);
  EXPECT_EQ(timing->samples.size(), 7u) << "the least number is taken anyway";
}

TEST(Sampling, RepeatsWhatWasTakenWhileSlowedDown) {
  InventedSampler sampler;
  sampler.slow = true;
  sampler.reasons = {0, power_cap, 0};  // before, after the first batch, after the rest
  const auto timing = take_samples(sampler, exactly(5));
  ASSERT_TRUE(timing);
  EXPECT_THAT(timing->samples, ElementsAre(1e-3, 1e-3, 1e-3, 1e-3, 1e-3));
  EXPECT_EQ(timing->throttled, 5);
  EXPECT_EQ(sampler.rests, 1);
  EXPECT_EQ(timing->machine.throttle, "power cap");
}

TEST(Sampling, TakesAReasonBeforeABatchForOneDuringIt) {
  InventedSampler sampler;
  sampler.reasons = {thermal, 0};
  const auto timing = take_samples(sampler, exactly(5));
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->throttled, 5);
  EXPECT_EQ(timing->samples.size(), 5u);
  EXPECT_EQ(timing->machine.throttle, "thermal");
}

TEST(Sampling, MeasuresADeviceThatIsAlwaysSlow) {
  InventedSampler sampler;
  sampler.slow = sampler.slow_for_ever = true;
  sampler.always = power_cap | fixed_clocks;
  const auto timing = take_samples(sampler, exactly(5));
  ASSERT_TRUE(timing);
  EXPECT_THAT(timing->samples, Each(3e-3));
  EXPECT_EQ(timing->samples.size(), 5u);
  EXPECT_EQ(sampler.rests, 3);
  EXPECT_EQ(timing->throttled, 4 * 5) << "three batches that were dropped and the one that was kept";
  EXPECT_EQ(timing->machine.throttle, "fixed clocks, power cap");
}

TEST(Sampling, RepeatsLongSamplesOnce) {
  InventedSampler sampler;
  sampler.sample = 0.1;
  sampler.always = power_cap;
  const auto timing = take_samples(sampler, exactly(5));
  ASSERT_TRUE(timing);
  EXPECT_EQ(sampler.rests, 1);
  EXPECT_EQ(timing->samples.size(), 5u);
}

TEST(Sampling, RepeatsNothingThatWouldNotWinAnyway) {
  InventedSampler sampler;
  sampler.sample = 0.1;
  sampler.always = power_cap;
  MeasureOptions options;
  options.incumbent_seconds = 0.04;
  const auto timing = take_samples(sampler, options);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->stop, StopReason::pruned);
  EXPECT_EQ(timing->samples.size(), 1u);
  EXPECT_EQ(timing->throttled, 1);
  EXPECT_EQ(sampler.rests, 0);
}

TEST(Sampling, TakesNoSampleWhereTheCheckedExecutionLost) {
  InventedSampler sampler;
  MeasureOptions options;
  options.incumbent_seconds = 0.04;
  options.checked_seconds = 0.1;
  const auto timing = take_samples(sampler, options);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->stop, StopReason::pruned);
  EXPECT_THAT(timing->samples, ElementsAre(0.1));
  EXPECT_TRUE(sampler.batches.empty());
}

TEST(Sampling, CountsALongCheckedExecutionAsTheFirstSample) {
  InventedSampler sampler;
  sampler.sample = 0.056;
  MeasureOptions options;
  options.incumbent_seconds = 0.04;
  options.checked_seconds = 0.055;
  const auto timing = take_samples(sampler, options);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->stop, StopReason::pruned);
  EXPECT_THAT(timing->samples, ElementsAre(0.055, 0.056));
}

TEST(Sampling, LeavesOutACheckedExecutionThatIsNoSample) {
  MeasureOptions options = exactly(5);
  options.incumbent_seconds = 1e-4;
  options.checked_seconds = 1e-3;  // short: its surroundings matter
  InventedSampler sampler;
  EXPECT_THAT(take_samples(sampler, options)->samples, ElementsAre(1e-3, 1e-3, 1e-3, 1e-3, 1e-3));

  options = exactly(5);
  options.checked_seconds = 0.1;
  options.flush_cache = false;  // the checked execution found a cold cache
  sampler = {};
  EXPECT_THAT(take_samples(sampler, options)->samples, Each(1e-3));

  options.flush_cache = true;
  sampler = {};
  sampler.always = power_cap;  // it may have been slowed down
  EXPECT_THAT(take_samples(sampler, options)->samples, Each(1e-3));
}

TEST(Sampling, RestsAtMostThreeTimesInAll) {
  InventedSampler sampler;
  sampler.always = thermal;
  MeasureOptions options = exactly(200);
  ASSERT_TRUE(take_samples(sampler, options));
  EXPECT_EQ(sampler.rests, 3);
}

TEST(Sampling, TakesIdlenessAndFixedClocksAsTheyAre) {
  InventedSampler sampler;
  sampler.always = idle | fixed_clocks;
  const auto timing = take_samples(sampler, exactly(5));
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->throttled, 0);
  EXPECT_EQ(timing->machine.throttle, "fixed clocks");
}

TEST(Sampling, HandsFailuresOn) {
  InventedSampler sampler;
  sampler.failing_batch = 2;
  const auto timing = take_samples(sampler, exactly(200));
  ASSERT_FALSE(timing);
  EXPECT_EQ(timing.error().reason, "illegal address");
}

TEST(SlowsDown, KnowsTheReasonsThatMatter) {
  for (const std::uint64_t reason : {0x04, 0x08, 0x20, 0x40, 0x80}) EXPECT_TRUE(slows_down(reason));
  for (const std::uint64_t reason : {0x0, 0x1, 0x2, 0x10, 0x100}) EXPECT_FALSE(slows_down(reason));
  EXPECT_TRUE(slows_down(0x1 | 0x4));
}

}  // namespace
}  // namespace tune
