// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/comparison.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <numeric>
#include <set>

#include "search/strategies/registry.hpp"
#include "tests/tuner/replay/spaces.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

using replay::ComparedStrategy;
using replay::ComparisonOptions;
using replay::RecordedSpace;
using replay::SpaceResult;

/// Times 1 .. count in a scattered order; every seventh fails.
Costs scattered(std::size_t count, std::size_t step) {
  Costs costs;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 7 == 3)
      costs.push_back(std::nullopt);
    else
      costs.push_back(1.0 + static_cast<double>(i * step % count) / 10);
  }
  return costs;
}

std::vector<RecordedSpace> spaces() {
  std::vector<RecordedSpace> all;
  all.push_back(recorded_line(scattered(101, 37), "a"));
  all.push_back(recorded_line(scattered(211, 50), "b"));
  all.push_back(recorded_line(scattered(53, 10), "c"));
  return all;
}

ComparedStrategy registered(const std::string& name) {
  return {name, [name](const search::SearchTask& task) { return search::choose_strategy(name).make(task); }};
}

void expect_equal(const SpaceResult& a, const SpaceResult& b) {
  ASSERT_EQ(a.scores.size(), b.scores.size());
  for (std::size_t s = 0; s < a.scores.size(); ++s) {
    for (std::size_t k = 0; k < a.scores[s].share.size(); ++k) {
      EXPECT_EQ(a.scores[s].share[k].mean, b.scores[s].share[k].mean);
      EXPECT_EQ(a.scores[s].share[k].lower, b.scores[s].share[k].lower);
    }
    EXPECT_EQ(a.scores[s].within_5.evaluations, b.scores[s].within_5.evaluations);
    EXPECT_EQ(a.scores[s].score, b.scores[s].score);
  }
}

TEST(Comparison, IsTheSameOnAnyNumberOfThreads) {
  const auto all = spaces();
  const std::vector<ComparedStrategy> contenders = {registered("random"), registered("grid")};
  ComparisonOptions options{.budgets = {5, 20, 40}, .repeats = 7, .threads = 1};
  const auto alone = replay::compare(all, contenders, options);
  for (const unsigned threads : {0U, 2U, 5U}) {
    options.threads = threads;
    const auto together = replay::compare(all, contenders, options);
    for (std::size_t s = 0; s < all.size(); ++s) expect_equal(alone[s], together[s]);
  }
  options.seed = 2;
  EXPECT_NE(replay::compare(all, contenders, options)[0].scores[0].share[0].mean,
            alone[0].scores[0].share[0].mean);
}

TEST(Comparison, ContendersGetTheSameSeedsWhichDifferByRepeatAndSpace) {
  const auto all = spaces();
  std::mutex mutex;
  std::vector<std::multiset<std::uint64_t>> seen(2);
  const auto watched = [&](std::size_t number) {
    return ComparedStrategy{"watched", [&, number](const search::SearchTask& task) {
                              const std::scoped_lock lock(mutex);
                              seen[number].insert(task.seed);
                              return search::choose_strategy("random").make(task);
                            }};
  };
  const std::vector<ComparedStrategy> contenders = {watched(0), watched(1)};
  replay::compare(all, contenders, {.budgets = {3}, .repeats = 5, .seed = 9});
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0].size(), 15U);
  EXPECT_EQ(std::set<std::uint64_t>(seen[0].begin(), seen[0].end()).size(), 15U);
  EXPECT_TRUE(seen[0].contains(replay::seed_of(9, "b", 4)));
}

TEST(Comparison, SeedsStayWhatTheyAre) {
  // Figures in reports are got again by these.
  EXPECT_EQ(replay::seed_of(1, "gemm", 0), 8080937692957093540U);
  EXPECT_EQ(replay::seed_of(7, "convolution_A100", 19), 17692848306728725000U);
  EXPECT_NE(replay::seed_of(1, "gemm", 0), replay::seed_of(1, "gemm", 1));
  EXPECT_NE(replay::seed_of(1, "gemm", 0), replay::seed_of(2, "gemm", 0));
  EXPECT_NE(replay::seed_of(1, "gemm", 0), replay::seed_of(1, "gemn", 0));
}

/// Uniform without repetition, and nothing else: the program's own random search begins with a design.
std::unique_ptr<search::Strategy> shuffled(const search::SearchTask& task) {
  std::vector<search::ConfigurationId> order(task.space.size());
  std::iota(order.begin(), order.end(), 0);
  search::Random random(task.seed);
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  return std::make_unique<Scripted>(std::move(order));
}

TEST(Comparison, RandomSearchAgreesWithItsExpectation) {
  std::vector<RecordedSpace> all;
  all.push_back(recorded_line(scattered(101, 37)));
  const std::vector<ComparedStrategy> contenders = {{"shuffled", shuffled}};
  const auto results = replay::compare(all, contenders, {.budgets = {5, 20, 50}, .repeats = 4000});
  const SpaceResult& result = results.front();
  for (std::size_t b = 0; b < 3; ++b)
    EXPECT_NEAR(result.scores[0].share[b].mean, result.random.share[b].mean, 0.01) << b;
  EXPECT_NEAR(result.scores[0].within_5.evaluations, result.random.within_5.evaluations, 1);
  EXPECT_NEAR(result.scores[0].within_5.missed, result.random.within_5.missed, 0.03);
  EXPECT_NEAR(*result.scores[0].score, 0, 0.03);
}

TEST(Comparison, ASpaceWithoutASuccessIsRefused) {
  std::vector<RecordedSpace> all;
  all.push_back(recorded_line({std::nullopt, std::nullopt}, "hopeless"));
  const std::vector<ComparedStrategy> contenders = {registered("random")};
  try {
    replay::compare(all, contenders, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("hopeless: every configuration failed"), std::string::npos);
  }
}

TEST(Comparison, TheHardHalfIsWhereRandomSearchTakesLongest) {
  std::vector<SpaceResult> results(5);
  const std::vector<double> needed = {10, 500, 20, 300, 300};
  for (std::size_t s = 0; s < needed.size(); ++s) results[s].facts.random_evaluations = needed[s];
  const auto groups = replay::groups_of(results);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].spaces, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(groups[1].spaces, (std::vector<std::size_t>{1, 3, 4}));
  results[3].facts.random_evaluations = 400;  // 10, 20, 300, 400, 500
  EXPECT_EQ(replay::groups_of(results)[1].spaces, (std::vector<std::size_t>{1, 3, 4}));
  results.resize(4);  // 10, 20, 400, 500
  EXPECT_EQ(replay::groups_of(results)[1].spaces, (std::vector<std::size_t>{1, 3}));
  results.resize(1);
  EXPECT_EQ(replay::groups_of(results).size(), 1U);
}

}  // namespace
}  // namespace tune::testing
