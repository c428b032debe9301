// SPDX-License-Identifier: Apache-2.0
// Runs that begin with what is known of other work, answered by a recording.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "db/read/queries.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "library/run/tuning_run.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/runs.hpp"
#include "tests/cli/sandbox.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::testing {
namespace {

const std::string start = "starting from results of";
const std::string settings = " radius=1,shape=star,type=float on Invented H2";

/// The line that says what a run starts from; empty where there is none.
std::string notice(const Sandbox& sandbox, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"--device", "replay", "--budget-evals", "20"};
  all.insert(all.end(), more.begin(), more.end());
  const ProgramResult outcome = sandbox.tune(small_run(all));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::string found;
  for (const std::string& line : lines_of(outcome.err)) {
    if (!line.starts_with(start)) continue;
    EXPECT_EQ(found, "") << "told twice";
    found = line;
  }
  return found;
}

/// Of the recording at 512^3, fastest first.
std::vector<Configuration> best_at_512(const Sandbox& sandbox, bool failures = false) {
  db::ResultFilter filter{.size = "512x512x512"};
  filter.failures = failures;
  std::vector<Configuration> configurations;
  for (const db::ResultRow& row :
       db::list_results(db::Database(sandbox.recording(), db::OpenMode::immutable), filter))
    configurations.push_back(row.configuration);
  return configurations;
}

/// The place of a configuration, fastest first, among those at 512^3 that the recording at 64^3 can answer
/// too.
std::size_t place_at_512(const Sandbox& sandbox, const std::string& key) {
  db::ResultFilter filter{.size = "64x64x64"};
  filter.failures = true;
  std::set<std::string> known;
  for (const db::ResultRow& row :
       db::list_results(db::Database(sandbox.recording(), db::OpenMode::immutable), filter))
    known.insert(row.configuration.key());
  std::size_t place = 0;
  for (const Configuration& configuration : best_at_512(sandbox)) {
    if (configuration.key() == key) return place;
    place += known.contains(configuration.key()) ? 1 : 0;
  }
  return std::string::npos;
}
/// A search begins with so many of the best, which differ from each other.
constexpr std::size_t transfers = 4;
/// The place of the strategy's first one: the default comes before it.
constexpr std::size_t first = 1;

TEST(Transfer, ASecondSizeBeginsWithTheBestOfTheFirst) {
  const Sandbox sandbox;
  EXPECT_EQ(notice(sandbox), start + " 512x512x512" + settings + " (60 evaluations)");
  EXPECT_LT(place_at_512(sandbox, configurations(sandbox, 1).at(first)), transfers);
}

TEST(Transfer, NoTransferBeginsAnew) {
  const Sandbox sandbox;
  EXPECT_EQ(notice(sandbox, {"--no-transfer"}), "");
  EXPECT_NE(notice(sandbox, {"--fresh"}), "");
  EXPECT_NE(configurations(sandbox, 1), configurations(sandbox, 2));
  // As a search where nothing else is known.
  sandbox.remove_recordings();
  add_recording(sandbox.recording());
  EXPECT_EQ(notice(sandbox, {"--fresh"}), "");
  EXPECT_EQ(configurations(sandbox, 1), configurations(sandbox, 3));
}

TEST(Transfer, OnlyAStrategyThatUsesRecordsIsGivenThem) {
  const Sandbox sandbox;
  for (const char* strategy : {"random", "grid"}) EXPECT_EQ(notice(sandbox, {"--strategy", strategy}), "");
}

TEST(Transfer, QuietIsQuiet) {
  const Sandbox sandbox;
  EXPECT_EQ(notice(sandbox, {"--quiet"}), "");
  EXPECT_LT(place_at_512(sandbox, configurations(sandbox, 1).at(first)), transfers);
}

// Whatever else is stored of the very same work: a search must not be told the answers of its examination.
TEST(Transfer, AReplayIsNeverToldWhatItsRecordingHolds) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  add_recording(sandbox.recording());
  add_recording(sandbox.database(), {.count = 300});
  InventedRecording older;
  older.device.driver = "570";
  add_recording(sandbox.database(), older);
  EXPECT_EQ(notice(sandbox), "");
}

TEST(Transfer, TheAnswersDoNotHideWhatIsRelated) {
  const Sandbox sandbox;
  for (const char* driver : {"550", "560", "570", "575"}) {
    InventedRecording older{.count = 40};
    older.device.driver = driver;
    add_recording(sandbox.database(), older);
  }
  add_recording(sandbox.database(), {.n = 128, .count = 40});
  EXPECT_EQ(notice(sandbox), start + " 128x128x128" + settings + " (40 evaluations) and 512x512x512" +
                                 settings + " (60 evaluations)");
}

TEST(Transfer, TheTwoMostAlikeAreTaken) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.n = 256, .count = 40});
  add_recording(sandbox.database(), {.n = 128, .count = 30});
  EXPECT_EQ(notice(sandbox), start + " 128x128x128" + settings + " (30 evaluations) and 256x256x256" +
                                 settings + " (40 evaluations)");
}

TEST(Transfer, WhatShipsComesFirstWhereItIsMoreAlike) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.n = 2048, .count = 40});
  EXPECT_EQ(notice(sandbox), start + " 512x512x512" + settings + " (60 evaluations) and 2048x2048x2048" +
                                 settings + " (40 evaluations)");
}

TEST(Transfer, WhatIsNotValidHereIsLeftOut) {
  const Sandbox sandbox;
  std::size_t valid = 0;
  for (const Configuration& configuration : best_at_512(sandbox, true))
    valid += configuration.has("block_x") &&
                     configuration["block_x"].as_int() * configuration["block_y"].as_int() <= 128
                 ? 1
                 : 0;
  ASSERT_GE(valid, 10U);
  ASSERT_LT(valid, 60U);
  EXPECT_EQ(notice(sandbox, {"--where", "block_x * block_y <= 128"}),
            start + " 512x512x512" + settings + " (" + std::to_string(valid) + " evaluations)");
  // A few say nothing.
  sandbox.remove_recordings();
  add_recording(sandbox.recording());
  add_recording(sandbox.database(), {.n = 512, .count = 60, .sample = 8});  // hardly one is in the recording
  EXPECT_EQ(notice(sandbox), "");
}

TEST(Transfer, TheSameCallGivesTheSameRun) {
  const Sandbox sandbox;
  EXPECT_NE(notice(sandbox), "");
  const ProgramResult again = sandbox.tune(small_run({"--device", "replay", "--budget-evals", "20"}));
  EXPECT_NE(again.err.find(start), std::string::npos);
  EXPECT_NE(again.out.find("20 were known from the database"), std::string::npos) << again.out;
  EXPECT_EQ(trace(sandbox, 1), trace(sandbox, 2));
}

/// A measured run at n^3: what a GPU's would be asked for.
run::RelatedRecords related_to_measured(const Sandbox& sandbox, std::int64_t n) {
  const auto problem = kernels::make_problem("stencil3d");
  WorkloadKey key;
  key.instance = invented_instance(n);
  key.device = device_named();
  key.toolchain = {"NVRTC 13.0 sm_90", source_hash(*problem, kernels::EmbeddedSources())};
  const search::SearchSpace space(problem->space(key.instance, key.device));
  return run::related_records(db::Database(sandbox.database()), key, space);
}

TEST(Transfer, ARunsOwnWorkIsKnownNotRelated) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  EXPECT_TRUE(related_to_measured(sandbox, 64).records.empty());
  add_recording(sandbox.database(), {.count = 100});
  EXPECT_TRUE(related_to_measured(sandbox, 64).records.empty());
  EXPECT_EQ(related_to_measured(sandbox, 64).notice, "");
  const run::RelatedRecords other = related_to_measured(sandbox, 128);
  ASSERT_EQ(other.records.size(), 1U);
  EXPECT_EQ(other.records[0].observations.size(), 100U);
  EXPECT_EQ(other.notice, start + " 64x64x64" + settings + " (100 evaluations)");
}

TEST(Transfer, ItsOwnWorkOfAnOlderDriverIsRelated) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  InventedRecording older{.count = 50};
  older.device.driver = "570";
  add_recording(sandbox.database(), older);
  EXPECT_EQ(related_to_measured(sandbox, 64).notice, start + " 64x64x64" + settings + " (50 evaluations)");
}

TEST(Transfer, AFewMeasurementsOfItsOwnWorkAreEnough) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  InventedRecording older{.count = 2};
  older.device.driver = "570";
  add_recording(sandbox.database(), older);
  EXPECT_EQ(related_to_measured(sandbox, 64).records.size(), 1U);
  EXPECT_TRUE(related_to_measured(sandbox, 128).records.empty());
}

TEST(Transfer, WhatHasHardlyAnythingInCommonIsNotTaken) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  add_recording(sandbox.database(), {.n = 1, .count = 50});
  EXPECT_TRUE(related_to_measured(sandbox, 2048).records.empty()) << "33 doublings of the volume";
  add_recording(sandbox.database(), {.n = 2, .count = 50});
  EXPECT_EQ(related_to_measured(sandbox, 2048).records.size(), 1U);
}

TEST(Transfer, ARecordingThatCannotBeReadIsNoReasonNotToSearch) {
  const Sandbox sandbox;
  std::ofstream(sandbox.recording().parent_path() / "a.db") << "no database";
  add_recording(sandbox.database(), {.n = 128, .count = 30});
  EXPECT_EQ(related_to_measured(sandbox, 256).records.size(), 2U);
}

}  // namespace
}  // namespace tune::testing
