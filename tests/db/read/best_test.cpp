// SPDX-License-Identifier: Apache-2.0
#include "db/read/best.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

using db::Match;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BestTest : public ::testing::Test {
 protected:
  void record(const WorkloadKey& key, const std::vector<Evaluation>& evaluations) {
    const RunId id = store_.begin_run(run_of(key));
    for (const Evaluation& evaluation : evaluations) store_.record(id, evaluation);
  }
  void record(const WorkloadKey& key, double time) {
    record(key, {measured(example_configuration(), {time})});
  }

  static db::BestQuery query() {
    const WorkloadKey key = example_key();
    return {.problem = key.instance.problem,
            .device = db::lookup_device(key.device),
            .extents = key.instance.extents,
            .settings = key.instance.settings_key(),
            .toolchain = key.toolchain};
  }

  std::vector<double> view(const std::string& where) {
    SQLite::Statement rows(database_.connection(), "SELECT time FROM best WHERE " + where + " ORDER BY time");
    std::vector<double> times;
    while (rows.executeStep()) times.push_back(rows.getColumn(0).getDouble());
    return times;
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  db::SqliteStore store_{database_};
};

WorkloadKey sized(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  WorkloadKey key = example_key();
  key.instance.extents = {{"nx", nx}, {"ny", ny}, {"nz", nz}};
  return key;
}

WorkloadKey on(const std::string& device, WorkloadKey key = example_key()) {
  key.device.name = device;
  return key;
}

TEST_F(BestTest, NothingIsKnownAtFirst) {
  EXPECT_TRUE(db::best(database_, query()).empty());
  record(example_key(), {failed(example_configuration(), Phase::verify, "wrong")});
  EXPECT_TRUE(db::best(database_, query()).empty());
}

TEST_F(BestTest, CandidatesBehindTheAnswerAreNotRead) {
  WorkloadKey larger = example_key();
  larger.instance.extents[0].second *= 2;
  record(example_key(), {measured(example_configuration(1), {1e-3})});
  record(larger, {measured(example_configuration(2), {1e-3})});
  const db::Database* only = &database_;
  const auto read_until = [&](int wanted) {
    int asked = 0;
    return db::best(std::span(&only, 1), query(),
                    [&](const db::BestCandidate& one) {
                      return one.result.configuration == example_configuration(wanted) && ++asked > 0;
                    })
        .size();
  };
  EXPECT_EQ(read_until(1), 1U);
  EXPECT_EQ(read_until(2), 2U);
  EXPECT_EQ(read_until(3), 2U);
}

TEST_F(BestTest, ResultsOfThisBoardComeBeforeFasterOnes) {
  WorkloadKey limited = example_key();
  limited.device.uuid = "GPU-other";
  limited.device.power_limit = 350;
  record(limited, {measured(example_configuration(1), {1e-3})});
  db::BestCandidate found = db::best(database_, query()).at(0);
  EXPECT_EQ(found.result.configuration, example_configuration(1));
  EXPECT_THAT(found.board_difference, HasSubstr("350 W"));
  EXPECT_THAT(found.reason, HasSubstr(found.board_difference));
  record(example_key(), {measured(example_configuration(2), {2e-3})});
  const std::vector<db::BestCandidate> all = db::best(database_, query());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].result.configuration, example_configuration(2));
  EXPECT_EQ(all[0].result.board.power_limit, 700.5);
  EXPECT_EQ(all[0].board_difference, "");
  EXPECT_THAT(all[0].reason, HasSubstr("on another board with a power limit of 350 W"));
  EXPECT_EQ(all[1].result.configuration, example_configuration(1));
  const std::vector<db::ResultRow> rows = db::ranked_results(database_, all[0].result.workload.id, query());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].configuration, example_configuration(2));
  db::BestQuery any = query();
  any.device.board.clear();
  any.device.power_limit = 0;
  EXPECT_EQ(db::best(database_, any).size(), 1U);
  EXPECT_EQ(db::best(database_, any).at(0).result.configuration, example_configuration(1));
}

TEST_F(BestTest, IsTheSmallestMedianNotTheSmallestSample) {
  record(example_key(), {measured(example_configuration(1), {1e-3, 9e-3, 9e-3}),
                         measured(example_configuration(2), {4e-3, 4e-3, 4e-3}),
                         measured(example_configuration(3), {5e-3, 5e-3, 5e-3}),
                         failed(example_configuration(4), Phase::timeout, "slow")});
  const auto found = db::best(database_, query());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].result.configuration, example_configuration(2));
  EXPECT_EQ(found[0].result.time, 4e-3);
  EXPECT_EQ(found[0].match, Match::exact);
  EXPECT_EQ(found[0].measured, 3);
  EXPECT_EQ(found[0].distance, 0);
  EXPECT_EQ(found[0].reason, "recorded for exactly this");
  EXPECT_THAT(view("true"), ElementsAre(4e-3));
}

TEST_F(BestTest, MeasuredAndReplayedAreNeverMixed) {
  WorkloadKey replayed = example_key();
  replayed.origin = Origin::replayed;
  record(example_key(), 3e-3);
  record(replayed, 1e-3);
  EXPECT_THAT(view("origin = 'measured'"), ElementsAre(3e-3));
  EXPECT_THAT(view("origin = 'replayed'"), ElementsAre(1e-3));
  ASSERT_EQ(db::best(database_, query()).size(), 1U);
  EXPECT_EQ(db::best(database_, query())[0].result.time, 3e-3);
  db::BestQuery of_replayed = query();
  of_replayed.origin = Origin::replayed;
  EXPECT_EQ(db::best(database_, of_replayed)[0].result.time, 1e-3);
}

TEST_F(BestTest, ALaterEvaluationOfTheSameConfigurationReplacesTheEarlier) {
  record(example_key(),
         {measured(example_configuration(1), {1e-3}), measured(example_configuration(2), {2e-3})});
  record(example_key(), {failed(example_configuration(1), Phase::verify, "wrong")});
  EXPECT_EQ(db::best(database_, query())[0].result.configuration, example_configuration(2));
  EXPECT_THAT(view("true"), ElementsAre(2e-3));
}

TEST_F(BestTest, TheViewTakesTheFastestOfAllVersionsAndNamesThem) {
  WorkloadKey newer = example_key();
  newer.device.driver = "590";
  record(example_key(), 3e-3);
  record(newer, 2e-3);
  EXPECT_THAT(view("true"), ElementsAre(2e-3));
  EXPECT_EQ(database_.connection().execAndGet("SELECT driver FROM best").getString(), "590");
}

TEST_F(BestTest, OrderIsExactThenSizeThenDevice) {
  record(on("Z9", sized(64, 64, 64)), 1e-4);
  record(on("Z9"), 2e-4);
  record(sized(512, 256, 4096), 3e-4);
  record(sized(512, 256, 256), 4e-3);
  record(example_key(), 5e-3);
  const auto found = db::best(database_, query());
  std::vector<double> times;
  std::vector<Match> matches;
  for (const db::BestCandidate& candidate : found) {
    times.push_back(*candidate.result.time);
    matches.push_back(candidate.match);
  }
  EXPECT_THAT(times, ElementsAre(5e-3, 4e-3, 3e-4, 2e-4, 1e-4));
  EXPECT_THAT(matches, ElementsAre(Match::exact, Match::nearest_size, Match::nearest_size,
                                   Match::same_architecture, Match::same_architecture));
  EXPECT_NEAR(found[1].distance, std::log(2) * (1 + 2. / 3 + 1. / 3 + 1. / 3), 1e-12);
  EXPECT_THAT(found[1].reason, HasSubstr("512x256x256"));
  EXPECT_THAT(found[3].reason, HasSubstr("Z9"));
}

TEST_F(BestTest, SizesOfEqualVolumeAreNotEqual) {
  record(sized(1, 1, 512 * 256 * 128), 1e-3);
  record(sized(512, 256, 256), 2e-3);
  EXPECT_EQ(db::best(database_, query())[0].result.workload.size, "512x256x256");
}

TEST_F(BestTest, AmongEqualFitsTheSameVersionsComeFirst) {
  WorkloadKey stale = example_key();
  stale.toolchain.source_hash = "old";
  record(stale, 1e-3);
  WorkloadKey other_driver = example_key();
  other_driver.device.driver = "570";
  record(other_driver, 2e-3);
  record(example_key(), 3e-3);
  const auto found = db::best(database_, query());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].result.time, 3e-3);
  EXPECT_TRUE(found[0].same_driver && found[0].same_compiler && found[0].same_sources);
  EXPECT_EQ(found[1].result.time, 2e-3);
  EXPECT_FALSE(found[1].same_driver);
  EXPECT_THAT(found[1].reason, HasSubstr("driver 570"));
  EXPECT_FALSE(found[2].same_sources);
  EXPECT_THAT(found[2].reason, HasSubstr("sources have changed"));
  // Who does not ask for versions gets the fastest.
  db::BestQuery any = query();
  any.device.driver.clear();
  any.toolchain.reset();
  EXPECT_EQ(db::best(database_, any)[0].result.time, 1e-3);
}

TEST_F(BestTest, OtherSettingsAreOtherWork) {
  WorkloadKey wide = example_key();
  wide.instance.settings[2].second = 4;
  record(wide, 1e-3);
  EXPECT_TRUE(db::best(database_, query()).empty());
  db::BestQuery any = query();
  any.settings.reset();
  EXPECT_EQ(db::best(database_, any).size(), 1U);
}

TEST_F(BestTest, OtherExtentsAreNotCompared) {
  WorkloadKey flat = example_key();
  flat.instance.extents = {{"nx", 512}, {"ny", 256}};
  record(flat, 1e-3);
  EXPECT_TRUE(db::best(database_, query()).empty());
}

TEST_F(BestTest, AnyDeviceAndAnySizeFitWhereNoneIsAskedFor) {
  record(on("Z9", sized(64, 64, 64)), 1e-3);
  record(example_key(), 2e-3);
  const auto found = db::best(database_, {.problem = "stencil3d"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].match, Match::exact);
  EXPECT_EQ(found[0].result.time, 1e-3);
}

TEST_F(BestTest, ADeviceOfTheSameArchitectureIsCloserThanAnother) {
  WorkloadKey far = on("Old");
  far.device.compute_major = 8;
  record(far, 1e-3);
  record(on("Sibling", sized(64, 64, 64)), 2e-3);
  record(on("Sibling"), 3e-3);
  const auto found = db::best(database_, query());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].result.time, 3e-3);
  EXPECT_EQ(found[1].result.time, 2e-3);
  EXPECT_EQ(found[2].result.time, 1e-3);
  EXPECT_EQ(found[2].match, Match::none);
}

TEST_F(BestTest, ADeviceCanBeAskedForByItsName) {
  record(example_key(), 1e-3);
  db::BestQuery by_name = query();
  by_name.device = {};
  by_name.device.name = "Invented H1";
  EXPECT_EQ(db::best(database_, by_name).at(0).match, Match::exact);
}

}  // namespace
}  // namespace tune::testing
