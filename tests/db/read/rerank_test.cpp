// SPDX-License-Identifier: Apache-2.0
// Finals decide what counts as the best.
#include "tuner/evaluation/rerank.hpp"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include "db/maintain/export.hpp"
#include "db/read/best.hpp"
#include "db/read/run_details.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

class DatabaseFinalsTest : public ::testing::Test {
 protected:
  RunId begin(Objective objective = Objective::time) {
    RunRecord run = example_run();
    run.options.objective = objective;
    return store_.begin_run(run);
  }
  void measure(RunId run, int number, double seconds) {
    store_.record(run, measured(example_configuration(number), {seconds}));
  }
  void reuse(RunId run, int number) {
    Evaluation evaluation = measured(example_configuration(number), {1});
    evaluation.reused = true;
    store_.record(run, evaluation);
  }
  /// With eight rounds, each at its time.
  void rerank(RunId run, const std::vector<std::pair<int, double>>& times,
              Objective objective = Objective::time) {
    std::vector<RerankPlace> places;
    for (const auto& [number, seconds] : times) {
      RerankPlace place;
      place.configuration = example_configuration(number);
      place.rounds.assign(8, {seconds, 1 / seconds});
      places.push_back(std::move(place));
    }
    RerankResult rerank;
    rerank.places = rank_top_k(std::move(places), objective);
    store_.record_rerank(run, rerank);
  }
  std::vector<Configuration> order() {
    std::vector<Configuration> result;
    for (const db::ResultRow& row : db::list_results(database_)) result.push_back(row.configuration);
    return result;
  }
  static std::vector<Configuration> configurations(const std::vector<int>& numbers) {
    std::vector<Configuration> result;
    for (const int number : numbers) result.push_back(example_configuration(number));
    return result;
  }
  db::BestCandidate best() {
    db::BestQuery query;
    query.problem = example_instance().problem;
    return db::best(database_, query).at(0);
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  db::SqliteStore store_{database_};
};

TEST_F(DatabaseFinalsTest, TheWinnerOfTheFinalsIsTheBest) {
  const RunId run = begin();
  measure(run, 1, 1.00e-3);
  measure(run, 2, 1.01e-3);
  measure(run, 3, 1.02e-3);
  measure(run, 4, 1.03e-3);
  rerank(run, {{1, 1.08e-3}, {2, 1.05e-3}, {3, 1.051e-3}});
  const db::BestCandidate answer = best();
  EXPECT_EQ(answer.result.configuration, example_configuration(2));
  EXPECT_EQ(answer.result.time, 1.05e-3);
  EXPECT_EQ(answer.result.measured_time, 1.01e-3);
  ASSERT_TRUE(answer.result.rerank.has_value());
  EXPECT_EQ(answer.result.rerank->run, run);
  EXPECT_EQ(answer.result.rerank->place, 1);
  EXPECT_EQ(answer.result.rerank->rounds, 8);
  ASSERT_EQ(answer.ties.size(), 1U);
  EXPECT_EQ(answer.ties[0].configuration, example_configuration(3));
  EXPECT_NEAR(answer.ties[0].rerank->ratio.median, 1.051 / 1.05, 1e-12);
  // A configuration that the re-ranking did not choose comes after all that it timed, though its own median
  // is smaller.
  EXPECT_EQ(order(), configurations({2, 3, 1, 4}));
  EXPECT_EQ(db::list_runs(database_).at(0).best, 1.05e-3);
  EXPECT_EQ(db::list_runs(database_).at(0).tied, 2);
}

TEST_F(DatabaseFinalsTest, AnUnconfirmedTimeOfAnInterruptedRunDoesNotBeatAConfirmedWinner) {
  const RunId run = begin();
  measure(run, 1, 1.00e-3);
  rerank(run, {{1, 1.00e-3}});
  const RunId interrupted = begin();
  measure(interrupted, 2, 0.9e-3);
  measure(interrupted, 3, 0.8e-3);
  EXPECT_EQ(best().result.configuration, example_configuration(1));
  EXPECT_EQ(order(), configurations({1, 3, 2}));
  for (const char* view : {"best", "best_by_versions"})
    EXPECT_EQ(database_.connection().execAndGet(format("SELECT evaluation FROM {}", view)).getInt(), 1)
        << view;
  // A run with finals that chose it confirms it.
  reuse(begin(), 3);
  EXPECT_EQ(best().result.configuration, example_configuration(1));
  const RunId confirming = begin();
  reuse(confirming, 1);
  reuse(confirming, 3);
  rerank(confirming, {{3, 0.85e-3}, {1, 1.00e-3}});
  EXPECT_EQ(best().result.configuration, example_configuration(3));
  // Where no confirmed result counts any more, the fastest of the others is the best.
  const RunId last = begin();
  store_.record(last, failed(example_configuration(1), Phase::verify, "wrong"));
  store_.record(last, failed(example_configuration(3), Phase::verify, "wrong"));
  EXPECT_EQ(best().result.configuration, example_configuration(2));
}

TEST_F(DatabaseFinalsTest, TheNewestFinalsCount) {
  const RunId first = begin();
  measure(first, 1, 1.0e-3);
  measure(first, 2, 1.0e-3);
  rerank(first, {{1, 1.00e-3}, {2, 1.001e-3}});
  const RunId second = begin();
  reuse(second, 1);
  reuse(second, 2);
  rerank(second, {{1, 1.1e-3}, {2, 1.05e-3}});
  EXPECT_EQ(best().result.configuration, example_configuration(2));
  EXPECT_EQ(best().result.time, 1.05e-3);
  EXPECT_TRUE(best().ties.empty());
  // Each run keeps its own answer.
  EXPECT_EQ(db::run_details(database_, first).winner->configuration, example_configuration(1));
  EXPECT_EQ(db::run_details(database_, first).winner->time, 1.00e-3);
  EXPECT_EQ(db::run_details(database_, second).winner->configuration, example_configuration(2));
}

TEST_F(DatabaseFinalsTest, ANewEvaluationReplacesFinalsToo) {
  const RunId run = begin();
  measure(run, 1, 1.0e-3);
  measure(run, 2, 1.1e-3);
  rerank(run, {{1, 1.0e-3}, {2, 1.001e-3}});
  store_.record(begin(), failed(example_configuration(1), Phase::verify, "wrong"));
  EXPECT_EQ(best().result.configuration, example_configuration(2));
  EXPECT_TRUE(best().ties.empty());
}

TEST_F(DatabaseFinalsTest, FinalsByEnergyDecideNothingAboutTime) {
  const RunId run = begin(Objective::energy);
  measure(run, 1, 1.0e-3);
  measure(run, 2, 1.1e-3);
  rerank(run, {{1, 1.0e-3}, {2, 1.1e-3}}, Objective::energy);
  EXPECT_EQ(best().result.configuration, example_configuration(1));
  EXPECT_FALSE(best().result.rerank.has_value());
  const db::RunDetails details = db::run_details(database_, run);
  EXPECT_EQ(details.winner->configuration, example_configuration(2));
  EXPECT_EQ(details.summary.objective, Objective::energy);
  EXPECT_EQ(details.rerank.at(0).configuration, example_configuration(2));
  EXPECT_NEAR(details.rerank.at(0).energy, 1 / 1.1e-3, 1e-9);
}

TEST_F(DatabaseFinalsTest, ABestByEnergyHasTheTiesAndTheOrderOfFinalsByEnergy) {
  const RunId run = begin(Objective::energy);
  measure(run, 1, 1.0e-3);
  measure(run, 2, 1.1e-3);
  measure(run, 3, 2.0e-3);
  rerank(run, {{1, 1.0e-3}, {2, 1.0005e-3}}, Objective::energy);
  db::BestQuery query;
  query.problem = example_instance().problem;
  query.objective = Objective::energy;
  const db::BestCandidate best = db::best(database_, query).at(0);
  EXPECT_EQ(best.result.configuration, example_configuration(2));
  EXPECT_EQ(best.result.time, 1.0005e-3);
  ASSERT_TRUE(best.result.rerank);
  ASSERT_EQ(best.ties.size(), 1U);
  EXPECT_EQ(best.ties[0].configuration, example_configuration(1));
  EXPECT_EQ(best.ties[0].rerank->place, 2);
  // The third has the smallest energy, but was not chosen.
  std::vector<Configuration> order;
  for (const db::ResultRow& row : db::ranked_results(database_, best.result.workload.id, query))
    order.push_back(row.configuration);
  EXPECT_EQ(order, configurations({2, 1, 3}));
}

TEST_F(DatabaseFinalsTest, ARunsDetailsHaveEveryRound) {
  const RunId run = begin();
  measure(run, 1, 1.0e-3);
  measure(run, 2, 1.1e-3);
  rerank(run, {{1, 1.0e-3}, {2, 1.1e-3}});
  const auto places = db::run_details(database_, run).rerank;
  ASSERT_EQ(places.size(), 2U);
  EXPECT_TRUE(places[0].result.tied);
  EXPECT_FALSE(places[1].result.tied);
  EXPECT_FALSE(places[1].reused);
  ASSERT_EQ(places[1].rounds.size(), 8U);
  EXPECT_EQ(places[1].rounds[7].seconds, 1.1e-3);
  EXPECT_NEAR(places[1].result.ratio.low, 1.1, 1e-12);
}

TEST_F(DatabaseFinalsTest, WarmAndColdTimesAreNotCompared) {
  measure(begin(), 1, 1.0e-3);
  RunRecord warm = example_run();
  warm.key.cache = CacheState::warm;
  measure(store_.begin_run(warm), 1, 0.5e-3);
  EXPECT_EQ(best().result.time, 1.0e-3);
  EXPECT_EQ(database_.connection().execAndGet("SELECT COUNT(*) FROM best").getInt(), 2);
  db::BestQuery query;
  query.problem = example_instance().problem;
  query.cache = CacheState::warm;
  EXPECT_EQ(db::best(database_, query).at(0).result.time, 0.5e-3);
}

TEST_F(DatabaseFinalsTest, AnExportKeepsThem) {
  const RunId run = begin();
  measure(run, 1, 1.0e-3);
  measure(run, 2, 1.1e-3);
  measure(run, 3, 1.2e-3);
  rerank(run, {{1, 1.0e-3}, {2, 1.001e-3}});
  db::export_database(database_, folder_ / "copy.db");
  db::export_database(database_, folder_ / "best.db", {.best_only = true});
  EXPECT_EQ(db::run_details(db::Database(folder_ / "copy.db", db::OpenMode::immutable), run).rerank.size(),
            2U);
  const db::Database small(folder_ / "best.db", db::OpenMode::immutable);
  EXPECT_EQ(db::run_details(small, run).rerank.size(), 1U);
  EXPECT_EQ(small.connection().execAndGet("SELECT COUNT(*) FROM final_rounds").getInt(), 8);
}

}  // namespace
}  // namespace tune::testing
