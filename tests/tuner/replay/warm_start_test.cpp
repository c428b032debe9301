// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/warm_start.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "tests/tuner/replay/spaces.hpp"

namespace tune::testing {
namespace {

using replay::RecordedSpace;
using replay::WarmOptions;
using replay::WarmStart;

std::vector<RecordedSpace> one(RecordedSpace space) {
  std::vector<RecordedSpace> all;
  all.push_back(std::move(space));
  return all;
}

WarmOptions all_of_it() {
  return {.evaluations = std::nullopt, .searched_by = {"none", {}}, .seed = 1};
}

TEST(WarmStart, GivesWhatIsValidInTheSpace) {
  const auto spaces = one(recorded_line({3.0, 2.0, 1.0}, "target"));
  const auto sources = one(recorded_line({0.3, std::nullopt, 0.1, 0.7, 0.9}, "source"));
  const WarmStart start(spaces, sources, all_of_it());
  const auto related = start.related(0, 0);
  ASSERT_EQ(related.size(), 1U);
  ASSERT_EQ(related[0].observations.size(), 3U);  // 3 and 4 are not in the target
  EXPECT_EQ(related[0].observations[0].cost, 0.3);
  EXPECT_FALSE(related[0].observations[1].cost);
  EXPECT_EQ(related[0].observations[2].id, 2U);
  EXPECT_TRUE(start.notes().empty());
}

TEST(WarmStart, GivesOnlyWhatASearchOfTheSourceSaw) {
  const auto spaces = one(recorded_line(Costs(20, 1.0), "target"));
  Costs costs;
  for (int i = 0; i < 20; ++i) costs.push_back(1.0 + i);
  const auto sources = one(recorded_line(costs, "source"));
  std::mutex mutex;
  std::set<std::uint64_t> seeds;
  const replay::ComparedStrategy searcher{
      "scripted", [&](const search::SearchTask& task) {
        const std::scoped_lock lock(mutex);
        seeds.insert(task.seed);
        return std::make_unique<Scripted>(std::vector<search::ConfigurationId>{7, 3, 5});
      }};
  const WarmStart start(spaces, sources, {.evaluations = 2, .searched_by = searcher, .seed = 4});
  const auto related = start.related(0, 6);
  ASSERT_EQ(related.size(), 1U);
  ASSERT_EQ(related[0].observations.size(), 2U);
  EXPECT_EQ(related[0].observations[0].id, 7U);
  EXPECT_EQ(related[0].observations[1].cost, 4.0);
  const replay::ComparedStrategy elsewhere{"elsewhere", scripted({19, 18})};
  std::vector<RecordedSpace> small = one(recorded_line(Costs(5, 1.0), "small"));
  EXPECT_TRUE(WarmStart(small, sources, {.evaluations = 2, .searched_by = elsewhere}).related(0, 0).empty());
  start.related(0, 7);
  EXPECT_EQ(seeds,
            (std::set<std::uint64_t>{replay::seed_of(4, "source", 6), replay::seed_of(4, "source", 7)}));
}

TEST(WarmStart, NeverTellsASpaceItsOwnAnswers) {
  const Costs costs = {3.0, std::nullopt, 1.0};
  const auto spaces = one(recorded_line(costs, "target"));
  std::vector<RecordedSpace> sources;
  sources.push_back(recorded_line({9.0, 8.0, 7.0}, "other"));
  sources.push_back(recorded_line({4.0, 4.0, 4.0}, "again"));
  sources.back().device = spaces[0].device;  // another recording of the same work
  sources.push_back(recorded_line(costs, "copy"));
  sources.back().problem = sources.back().device = "";  // T4 says neither
  const WarmStart start(spaces, sources, all_of_it());
  const auto related = start.related(0, 0);
  ASSERT_EQ(related.size(), 1U);
  EXPECT_EQ(related[0].observations[0].cost, 9.0);
  ASSERT_EQ(start.notes().size(), 2U);
  EXPECT_EQ(start.notes()[0], "target: again is not used for it: it is the same workload on the same device");
  EXPECT_EQ(start.notes()[1], "target: copy is not used for it: it is the same workload on the same device");
}

TEST(WarmStart, OfTheSameWorkAloneSaysJustThat) {
  const auto spaces = one(recorded_line({3.0, 1.0}, "target"));
  auto sources = one(recorded_line({3.0, 1.0}, "again"));
  sources.back().device = spaces[0].device;
  const WarmStart start(spaces, sources, all_of_it());
  ASSERT_EQ(start.notes().size(), 1U);
  EXPECT_EQ(start.notes()[0], "target: again is not used for it: it is the same workload on the same device");
}

TEST(WarmStart, SaysWhereThereIsNothingInCommon) {
  const auto spaces = one(recorded_line({3.0, 2.0}, "target"));
  replay::ThirdPartyRecord record{"source", "other kernel", "", "other device"};
  record.parameters = {"m"};
  Evaluation evaluation;
  evaluation.configuration.set("m", 0);
  record.evaluations.push_back(evaluation);
  const auto sources = one(replay::space_of(std::move(record), "source"));
  const WarmStart start(spaces, sources, all_of_it());
  EXPECT_TRUE(start.related(0, 0).empty());
  ASSERT_EQ(start.notes().size(), 1U);
  EXPECT_EQ(start.notes()[0], "target: searched without --warm: no recording has a configuration of it");
}

TEST(WarmStart, ReachesEveryContenderOfAComparison) {
  const auto spaces = one(recorded_line({3.0, 2.0, 1.0, 5.0}, "target"));
  const auto sources = one(recorded_line({0.3, 0.2, 0.1, 0.5}, "source"));
  const WarmStart start(spaces, sources, all_of_it());
  // Asks for the best of the related record first.
  const replay::ComparedStrategy follower{
      "follower", [](const search::SearchTask& task) {
        search::ConfigurationId best = 0;
        std::optional<double> cost;
        for (const auto& seen : task.related.at(0).observations)
          if (seen.cost && (!cost || *seen.cost < *cost)) {
            cost = seen.cost;
            best = seen.id;
          }
        return std::make_unique<Scripted>(std::vector<search::ConfigurationId>{best});
      }};
  const std::vector<replay::ComparedStrategy> contenders = {follower};
  const auto results =
      replay::compare(spaces, contenders,
                      {.budgets = {1}, .repeats = 3, .related = [&](std::size_t space, std::uint64_t repeat) {
                         return start.related(space, repeat);
                       }});
  EXPECT_EQ(results[0].scores[0].share[0].mean, 1);
}

}  // namespace
}  // namespace tune::testing
