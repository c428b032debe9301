// SPDX-License-Identifier: Apache-2.0
// Results of boards of one device model: those of the board asked about come first.
#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "lookup/include/tune/lookup.h"
#include "lookup/src/matching.hpp"
#include "tests/lookup/database_sample.hpp"

namespace tune::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

WorkloadKey board(const std::string& uuid, double power_limit, WorkloadKey key = example_key()) {
  key.device.uuid = uuid;
  key.device.power_limit = power_limit;
  return key;
}

const WorkloadKey ours = board("GPU-ours", 700);
const WorkloadKey limited = board("GPU-limited", 350);

/// The numbers of the configurations, the best first.
std::vector<long long> order(const DatabaseSample& sample, const lookup::Query& query) {
  const auto found = sample.open().candidates(query, 100);
  std::vector<long long> numbers;
  for (const lookup::Candidate& one : *found) numbers.push_back(number_of(one));
  return numbers;
}

TEST(LookupBoards, OursAnswersAndAFasterOneIsMentioned) {
  DatabaseSample sample;
  sample.record(limited, {{1, 1e-3}, {2, 4e-3}});
  sample.record(ours, {{2, 2e-3}, {3, 3e-3}});
  const lookup::Candidate found = sample.best(query_of(ours));
  EXPECT_EQ(found.match, lookup::Match::exact);
  EXPECT_EQ(number_of(found), 2);
  EXPECT_EQ(found.seconds, 2e-3);
  EXPECT_EQ(found.board, "GPU-ours");
  EXPECT_EQ(found.power_limit, 700);
  EXPECT_EQ(found.board_difference, "");
  EXPECT_EQ(
      found.why,
      "recorded for exactly this; on another board with a power limit of 350 W there is a result that is "
      "better by 50 %");
  EXPECT_THAT(order(sample, query_of(ours)), ElementsAre(2, 3, 1));
  EXPECT_EQ(number_of(sample.best(query_of(limited))), 1);
  EXPECT_EQ(sample.best(query_of(limited)).why, "recorded for exactly this") << "the other is slower";
}

TEST(LookupBoards, WithoutAResultOfOursAnotherAnswersAndSaysSo) {
  DatabaseSample sample;
  sample.record(limited, {{1, 1e-3}});
  sample.record(ours, {{2, 0}});  // which failed
  lookup::Candidate found = sample.best(query_of(ours));
  EXPECT_EQ(number_of(found), 1);
  EXPECT_EQ(found.board, "GPU-limited");
  EXPECT_THAT(found.board_difference, HasSubstr("under a power limit of 350 W, this one has 700 W"));
  EXPECT_THAT(found.why, AllOf(HasSubstr("recorded for exactly this; "), HasSubstr(found.board_difference)));
  found = sample.best(query_of(board("GPU-third", 351)));
  EXPECT_EQ(found.board_difference, "") << "1 % is no difference";
  EXPECT_THAT(found.why, HasSubstr("recorded on another board of this model"));
}

TEST(LookupBoards, WhoGivesNoBoardGetsTheFastest) {
  DatabaseSample sample;
  sample.record(limited, {{1, 1e-3}, {2, 4e-3}});
  sample.record(ours, {{2, 2e-3}, {3, 3e-3}});
  lookup::Query query = query_of(ours);
  query.device.board.clear();
  query.device.power_limit = 0;
  const lookup::Candidate found = sample.best(query);
  EXPECT_EQ(number_of(found), 1);
  EXPECT_EQ(found.power_limit, 350);
  EXPECT_EQ(found.why, "recorded for exactly this");
  EXPECT_THAT(order(sample, query), ElementsAre(1, 2, 3));
  query.device.power_limit = 700;
  EXPECT_EQ(number_of(sample.best(query)), 2) << "the limit alone chooses";
  query.device.power_limit = 0;
  query.device.board = "GPU-limited";
  EXPECT_EQ(number_of(sample.best(query)), 1);
  query.device.board = "GPU-ours";
  EXPECT_EQ(number_of(sample.best(query)), 2);
}

TEST(LookupBoards, BoardsThatFitBetterComeFirst) {
  DatabaseSample sample;
  sample.record(limited, {{1, 1e-3}});
  sample.record(board("GPU-unknown", 0), {{2, 2e-3}});
  sample.record(board("GPU-sister", 701), {{3, 3e-3}});
  EXPECT_THAT(order(sample, query_of(ours)), ElementsAre(3, 2, 1));
  sample.record(ours, {{4, 4e-3}});
  EXPECT_THAT(order(sample, query_of(ours)), ElementsAre(4, 3, 2, 1));
  const auto all = sample.open().candidates(query_of(ours), 9);
  EXPECT_THAT(all->at(1).why, HasSubstr("recorded on another board of this model"));
  EXPECT_THAT(all->at(2).board_difference, HasSubstr("is not known, this one has 700 W"));
}

// A size that is the same counts more than the board, and sources that have not changed.
TEST(LookupBoards, ComeAfterSizeAndSources) {
  DatabaseSample sample;
  WorkloadKey old = ours;
  old.toolchain.source_hash = "old";
  sample.record(old, {{1, 1e-3}});
  sample.record(sized({64, 64, 64}, ours), {{2, 1e-3}});
  sample.record(limited, {{3, 2e-3}});
  EXPECT_EQ(order(sample, query_of(ours)).front(), 3);
}

TEST(LookupBoards, LaterResultsOfAnotherReplaceNoneOfOurs) {
  DatabaseSample sample;
  sample.record(ours, {{1, 2e-3}, {2, 3e-3}}, {{1, 2.1e-3}, {2, 3.1e-3}});
  sample.record(limited, {{1, 9e-3}, {2, 0}}, {{1, 9e-3}});
  const lookup::Candidate found = sample.best(query_of(ours));
  EXPECT_EQ(number_of(found), 1);
  EXPECT_EQ(found.seconds, 2.1e-3);
  EXPECT_THAT(order(sample, query_of(ours)), ElementsAre(1, 2));
}

// Ours re-ranked what the other board measured.
TEST(LookupBoards, ARerankingOnOursIsOurs) {
  DatabaseSample sample;
  sample.record(limited, {{1, 5e-3}, {2, 4e-3}});
  const RunId run = sample.store().begin_run(run_of(ours));
  RerankResult rerank;
  for (const int number : {1, 2}) {
    Evaluation known = measured(example_configuration(number), {number == 1 ? 5e-3 : 4e-3});
    known.reused = true;
    sample.store().record(run, known);
    RerankPlace place;
    place.configuration = known.configuration;
    place.rounds.assign(8, {number == 1 ? 1e-3 : 2e-3, 0});
    rerank.places.push_back(place);
  }
  rerank.places = rank_top_k(std::move(rerank.places), Objective::time);
  sample.store().record_rerank(run, rerank);
  const lookup::Candidate found = sample.best(query_of(ours));
  EXPECT_EQ(number_of(found), 1);
  EXPECT_EQ(found.seconds, 1e-3);
  EXPECT_EQ(found.board, "GPU-ours");
  EXPECT_EQ(number_of(sample.best(query_of(limited))), 2);
  EXPECT_EQ(sample.best(query_of(limited)).seconds, 4e-3);
}

TEST(LookupBoards, RecordsWithoutBoardsStillAnswer) {
  DatabaseSample sample;
  sample.record(board("", 0), {{1, 1e-3}, {2, 2e-3}});
  sample.database().connection().exec("UPDATE devices SET facts = json_remove(facts, '$.power_limit')");
  const lookup::Candidate found = sample.best(query_of(ours));
  EXPECT_EQ(number_of(found), 1);
  EXPECT_EQ(found.power_limit, 0);
  EXPECT_THAT(found.why, HasSubstr("the power limit of the recorded board is not known"));
}

TEST(LookupBoards, AreNotComparedOnOtherModels) {
  DatabaseSample sample;
  WorkloadKey sibling = limited;
  sibling.device.name = "Sibling";
  sample.record(sibling, {{1, 1e-3}});
  const lookup::Candidate found = sample.best(query_of(ours));
  EXPECT_EQ(found.match, lookup::Match::same_architecture);
  EXPECT_EQ(found.board_difference, "");
  EXPECT_THAT(found.why, Not(HasSubstr("power limit")));
}

/// Random results of two boards: those of one are ranked as in a database that has no others.
TEST(LookupBoards, OursAreRankedAsIfThereWereNoOthers) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    std::mt19937 random(seed);
    const auto time = [&] { return 1e-6 * static_cast<double>(1 + random() % 12); };
    DatabaseSample both, alone;
    for (int run = 0; run < 12; ++run) {
      const bool of_ours = random() % 2 == 0;
      DatabaseSample::Times times, rerank;
      for (int number = 0; number < 8; ++number)
        if (random() % 3 != 0) times.emplace_back(number, random() % 5 == 0 ? 0 : time());
      const bool reranked = random() % 3 == 0;
      for (const auto& [number, seconds] : times)
        if (reranked && seconds > 0 && rerank.size() < 2) rerank.emplace_back(number, time());
      both.record(of_ours ? ours : limited, times, rerank);
      if (of_ours) alone.record(ours, times, rerank);
    }
    const auto seconds = [](const DatabaseSample& sample) {
      std::vector<std::pair<long long, double>> all;
      const auto found = sample.open().candidates(query_of(ours), 100);
      for (const lookup::Candidate& one : *found)
        if (one.board == "GPU-ours" && one.match == lookup::Match::exact)
          all.emplace_back(number_of(one), one.recorded_seconds);
      return all;
    };
    EXPECT_EQ(seconds(both), seconds(alone)) << seed;
  }
}

TEST(LookupBoards, AreAskedAboutInC) {
  DatabaseSample sample;
  sample.record(limited, {{1, 1e-3}});
  sample.record(ours, {{2, 2e-3}});
  tune_lookup* lookup = nullptr;
  ASSERT_EQ(tune_lookup_open(sample.path().c_str(), "", &lookup), TUNE_LOOKUP_OK);
  const lookup::Query asked = query_of(ours);
  std::vector<tune_lookup_setting> settings;
  for (const auto& [name, value] : asked.settings) settings.push_back({name.c_str(), value.c_str()});
  tune_lookup_query query = {};
  query.problem = "stencil3d";
  query.device.name = asked.device.name.c_str();
  query.size = asked.size.data();
  query.extents = asked.size.size();
  query.settings = settings.data();
  query.setting_count = settings.size();
  const auto best = [&](const tune_lookup_board* board, const std::string& difference) {
    tune_lookup_candidate* found = nullptr;
    EXPECT_EQ(tune_lookup_best_on(lookup, &query, board, &found), TUNE_LOOKUP_OK);
    const long long number = tune_lookup_integer(found, "block_x", -1);
    EXPECT_THAT(tune_lookup_board_difference(found), HasSubstr(difference));
    EXPECT_EQ(tune_lookup_board_difference(found)[0] == '\0', difference.empty());
    tune_lookup_free(found);
    return number;
  };
  EXPECT_EQ(best(nullptr, ""), 1);
  const tune_lookup_board this_one = {"GPU-ours", 700}, limit_alone = {nullptr, 698}, third = {nullptr, 500};
  EXPECT_EQ(best(&this_one, ""), 2);
  EXPECT_EQ(best(&limit_alone, ""), 2);
  EXPECT_EQ(best(&third, "this one has 500 W"), 1);
  tune_lookup_candidate* found[3] = {};
  size_t count = 0;
  ASSERT_EQ(tune_lookup_candidates_on(lookup, &query, &this_one, 3, found, &count), TUNE_LOOKUP_OK);
  ASSERT_EQ(count, 2U);
  EXPECT_EQ(tune_lookup_integer(found[0], "block_x", -1), 2);
  EXPECT_EQ(tune_lookup_integer(found[1], "block_x", -1), 1);
  for (size_t i = 0; i < count; ++i) tune_lookup_free(found[i]);
  EXPECT_EQ(tune_lookup_best_on(nullptr, &query, &this_one, found), TUNE_LOOKUP_BAD_QUERY);
  tune_lookup_close(lookup);
}

TEST(BoardDifference, IsToldWhereItChangesTimes) {
  const auto difference = [](const lookup::Board& recorded, const std::string& uuid, double power_limit) {
    lookup::Device here;
    here.board = uuid;
    here.power_limit = power_limit;
    return lookup::board_difference(here, recorded);
  };
  EXPECT_EQ(difference({"GPU-2", 700}, "GPU-1", 700), "");
  EXPECT_EQ(difference({"GPU-2", 699}, "GPU-1", 700), "");
  EXPECT_THAT(difference({"GPU-1", 350}, "GPU-1", 700),
              HasSubstr("a power limit of 350 W, this one has 700 W"));
  EXPECT_THAT(difference({}, "GPU-1", 700), HasSubstr("is not known"));
  EXPECT_EQ(difference({"GPU-2", 350}, "", 0), "") << "without a device nothing is compared";
}

}  // namespace
}  // namespace tune::testing
