// SPDX-License-Identifier: Apache-2.0
// Ranks and rows that are read one after another are those of the views.
#include "db/read/ranked.hpp"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/evaluation/rerank.hpp"

namespace tune::testing {
namespace {

/// Runs of two workloads that measure, fail, reuse and rank again the same few configurations.
class RandomRuns : public ::testing::TestWithParam<unsigned> {
 protected:
  RandomRuns() : random_(GetParam()) {
    for (int i = 0; i < 14; ++i) add_run();
  }

  void add_run() {
    RunRecord run = example_run();
    run.key.device.driver = random_() % 2 == 0 ? "580" : "590";
    run.options.objective = random_() % 4 == 0 ? Objective::energy : Objective::time;
    const RunId id = store_.begin_run(run);
    std::set<int> measured_here;
    for (auto left = random_() % 12; left > 0; --left) {
      const int number = static_cast<int>(random_() % 10);
      Evaluation evaluation = failed(example_configuration(number), Phase::verify, "wrong");
      if (random_() % 4 != 0) {
        evaluation =
            measured(example_configuration(number), {1e-6 * static_cast<double>(1 + random_() % 50)});
        evaluation.reused = random_() % 3 == 0 && known_[run.key.device.driver].contains(number);
        known_[run.key.device.driver].insert(number);
        measured_here.insert(number);
      } else {
        known_[run.key.device.driver].erase(number);
        measured_here.erase(number);
      }
      store_.record(id, evaluation);
    }
    if (random_() % 3 != 0) rerank(id, measured_here, run.options.objective);
  }

  void rerank(RunId run, const std::set<int>& numbers, Objective objective) {
    std::vector<RerankPlace> places;
    for (const int number : numbers) {
      RerankPlace place;
      place.configuration = example_configuration(number);
      const double seconds = 1e-6 * static_cast<double>(1 + random_() % 50);
      place.rounds.assign(8, {seconds, 1 / seconds});
      places.push_back(std::move(place));
    }
    if (places.empty()) return;
    RerankResult result;
    result.places = rank_top_k(std::move(places), objective);
    store_.record_rerank(run, result);
  }

  std::string tick() {
    ++ticks_;
    return format("2026-01-31T12:{:02}:{:02}.000Z", ticks_ / 60 % 60, ticks_ % 60);
  }

  void expect_as_listed(const std::vector<db::RankedEvaluation>& ranked,
                        const std::vector<db::ResultRow>& rows) {
    ASSERT_EQ(ranked.size(), rows.size());
    db::ResultReader reader(database_, ranked.size() % 2 == 0 ? ranked.size() : 1'000'000);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const db::ResultRow& row = rows[i];
      ASSERT_EQ(ranked[i].evaluation, row.evaluation) << i;
      EXPECT_EQ(ranked[i].time, row.time.value_or(0));
      EXPECT_EQ(ranked[i].rerank_run, row.rerank ? row.rerank->run : 0);
      EXPECT_EQ(ranked[i].tied, row.rerank && row.rerank->tied);
      EXPECT_EQ(ranked[i].current, row.current);
      expect_equal(reader.row(ranked[i]), row);
    }
    expect_same_figures(ranked, rows);
  }

  static void expect_equal(const std::optional<db::ResultRow>& one, const db::ResultRow& row) {
    ASSERT_TRUE(one);
    EXPECT_EQ(one->evaluation, row.evaluation);
    EXPECT_EQ(one->run, row.run);
    EXPECT_EQ(one->workload.id, row.workload.id);
    EXPECT_EQ(one->workload.driver, row.workload.driver);
    EXPECT_EQ(one->board, row.board);
    EXPECT_EQ(one->amount.items, row.amount.items);
    EXPECT_EQ(one->configuration, row.configuration);
    EXPECT_EQ(one->time, row.time);
    EXPECT_EQ(one->measured_time, row.measured_time);
    EXPECT_EQ(one->rerank.has_value(), row.rerank.has_value());
    EXPECT_EQ(one->samples, row.samples);
    EXPECT_EQ(one->failure.has_value(), row.failure.has_value());
    EXPECT_EQ(one->recorded, row.recorded);
    EXPECT_EQ(one->current, row.current);
  }

  void expect_same_figures(const std::vector<db::RankedEvaluation>& ranked,
                           const std::vector<db::ResultRow>& rows) {
    std::vector<std::int64_t> order;
    db::each_figures(database_, ranked, [&](std::size_t index, const db::EvaluationFigures& figures) {
      order.push_back(ranked[index].evaluation);
      EXPECT_EQ(figures.configuration, rows[index].configuration);
      EXPECT_EQ(figures.error, rows[index].error);
      EXPECT_EQ(figures.resources.has_value(), rows[index].resources.has_value());
      EXPECT_EQ(figures.phases.compile, rows[index].phases.compile);
    });
    EXPECT_EQ(order.size(), ranked.size());
    EXPECT_TRUE(std::ranges::is_sorted(order));
    std::size_t count = 0;
    db::each_configuration(database_, ranked, [&](std::size_t index, const Configuration& configuration) {
      EXPECT_EQ(configuration, rows[index].configuration);
      ++count;
    });
    EXPECT_EQ(count, ranked.size());
  }

  std::mt19937 random_;
  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  int ticks_ = 0;
  db::SqliteStore store_{database_, [this] { return tick(); }};
  std::map<std::string, std::set<int>> known_;  ///< measured, by driver
};

TEST_P(RandomRuns, AreRankedAsListed) {
  std::set<std::int64_t> workloads;
  std::size_t reranked = 0, superseded = 0;
  for (const db::RunSummary& run : db::list_runs(database_)) {
    SCOPED_TRACE(format("run {}", run.run));
    expect_as_listed(db::ranked_of_run(database_, run.run),
                     db::list_results(database_, {.run = run.run, .failures = true, .superseded = true}));
    for (const db::RankedEvaluation& one : db::ranked_of_run(database_, run.run))
      superseded += one.current ? 0 : 1;
    workloads.insert(run.workload.id);
  }
  for (const std::int64_t workload : workloads) {
    SCOPED_TRACE(format("workload {}", workload));
    const auto ranked = db::ranked_of_workload(database_, workload);
    expect_as_listed(ranked, db::list_results(database_, {.workload = workload, .failures = true}));
    reranked += static_cast<std::size_t>(
        std::ranges::count_if(ranked, [](const auto& one) { return one.rerank_run != 0; }));
  }
  EXPECT_EQ(workloads.size(), 2U);
  EXPECT_GT(reranked, 0U);
  EXPECT_GT(superseded, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRuns, ::testing::Range(1U, 9U));

TEST(Ranked, RowsFarFromEachOtherAreFoundAndMissingOnesNamed) {
  const TemporaryFolder folder;
  db::Database database(folder / "tune.db");
  db::SqliteStore store(database);
  const RunId run = store.begin_run(example_run());
  for (int i = 0; i < 200; ++i) store.record(run, measured(example_configuration(i), {1e-3}));
  std::vector<db::RankedEvaluation> chosen;
  for (const std::int64_t evaluation : {200, 1, 2, 34, 35, 199, 100}) chosen.push_back({evaluation});
  std::set<std::size_t> places;
  db::each_configuration(database, chosen, [&](std::size_t place, const Configuration& configuration) {
    EXPECT_EQ(configuration, example_configuration(static_cast<int>(chosen[place].evaluation) - 1));
    places.insert(place);
  });
  EXPECT_EQ(places.size(), chosen.size());
  database.connection().exec("DELETE FROM run_evaluations WHERE evaluation = 36");
  database.connection().exec("DELETE FROM evaluations WHERE id = 36");
  for (const std::int64_t missing : {0, 36, 201})
    EXPECT_THROW(db::each_configuration(database, {{35}, {missing}, {37}}, [](std::size_t, const auto&) {}),
                 Error)
        << missing;
}

}  // namespace
}  // namespace tune::testing
