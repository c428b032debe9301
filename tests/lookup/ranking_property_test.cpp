// SPDX-License-Identifier: Apache-2.0
// Random histories: the ranking by indices equals that of the database's views.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gtest/gtest.h>

#include <random>

#include "lookup/src/winners.hpp"
#include "tests/lookup/database_sample.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

class RankingProperty : public ::testing::TestWithParam<unsigned> {
 protected:
  RankingProperty() : random_(GetParam()) {
    for (int r = 0; r < 30; ++r) add_run();
    shuffle_dates();
  }

  double time() { return 1e-6 * static_cast<double>(1 + random_() % 12); }  // few values: many are equal

  void add_run() {
    const WorkloadKey key = sized({static_cast<std::int64_t>(64 << random_() % 2), 64, 64});
    DatabaseSample::Times times, rerank;
    std::vector<int> numbers(14);
    for (int i = 0; i < 14; ++i) numbers[static_cast<std::size_t>(i)] = i;
    std::shuffle(numbers.begin(), numbers.end(), random_);
    const std::size_t count = random_() % 10;
    for (std::size_t i = 0; i < count; ++i) times.emplace_back(numbers[i], random_() % 5 == 0 ? 0 : time());
    const bool held = random_() % 2 == 0;
    for (const auto& [number, seconds] : times)
      if (held && seconds > 0 && rerank.size() < 3) rerank.emplace_back(number, time());
    sample_.record(key, times, rerank, random_() % 4 == 0 ? Objective::energy : Objective::time);
  }

  /// As merged files have them: neither runs nor evaluations in the order of their numbers.
  void shuffle_dates() {
    SQLite::Database& connection = sample_.database().connection();
    for (const char* column : {"runs SET started", "evaluations SET recorded"}) {
      const auto factor = static_cast<long long>(random_() % 97);
      connection.exec(
          format("UPDATE {} = '2026-01-31T12:00:' || (10 + id * {} % 31) || '.000Z'", column, factor));
    }
  }

  struct Row {
    std::int64_t evaluation;
    double time;
    bool outranked;
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> by_view(std::int64_t workload) {
    SQLite::Statement rows(
        sample_.database().connection(),
        "SELECT k.evaluation, k.time, k.outranked FROM ranking k JOIN current_evaluations e"
        " ON e.id = k.evaluation WHERE k.work = ?"
        " ORDER BY k.outranked, k.time, k.place, k.evaluation");
    rows.bind(1, workload);
    std::vector<Row> result;
    while (rows.executeStep())
      result.push_back(
          {rows.getColumn(0).getInt64(), rows.getColumn(1).getDouble(), rows.getColumn(2).getInt() != 0});
    return result;
  }

  std::mt19937 random_;
  DatabaseSample sample_;
};

TEST_P(RankingProperty, IsThatOfTheViews) {
  lookup::Connection connection(sample_.database().connection().getHandle(), "sample");
  std::size_t seen = 0;
  for (const std::int64_t workload : {1, 2}) {
    const std::vector<Row> expected = by_view(workload);
    seen += expected.size();
    for (std::size_t max = 1; max <= expected.size() + 1; ++max) {
      std::vector<Row> rows;
      for (const lookup::RankedRecord& one :
           lookup::fastest(connection, workload, lookup::RankingObjective::time, max))
        rows.push_back({one.evaluation, one.seconds, one.outranked});
      const auto count = static_cast<std::ptrdiff_t>(std::min(max, expected.size()));
      EXPECT_EQ(rows, std::vector<Row>(expected.begin(), expected.begin() + count)) << "the first " << max;
    }
  }
  EXPECT_GT(seen, 10U);
}

TEST_P(RankingProperty, TheWinnerIsThatOfBestByVersions) {
  lookup::Connection connection(sample_.database().connection().getHandle(), "sample");
  SQLite::Statement rows(sample_.database().connection(), "SELECT work, evaluation FROM best_by_versions");
  while (rows.executeStep())
    EXPECT_EQ(lookup::fastest(connection, rows.getColumn(0).getInt64(), lookup::RankingObjective::time, 1)
                  .at(0)
                  .evaluation,
              rows.getColumn(1).getInt64());
}

TEST_P(RankingProperty, AnOutcomeIsTheTimeInTheRanking) {
  lookup::Connection connection(sample_.database().connection().getHandle(), "sample");
  for (const std::int64_t workload : {1, 2})
    for (int number = 0; number < 15; ++number) {
      const std::string key = example_configuration(number).key();
      SQLite::Statement row(sample_.database().connection(),
                            "SELECT e.time IS NULL, (SELECT k.time FROM ranking k WHERE k.evaluation = e.id)"
                            " FROM current_evaluations e WHERE e.work = ? AND e.configuration_key = ?");
      row.bind(1, workload);
      row.bind(2, key);
      const auto found = lookup::outcome(connection, workload, lookup::RankingObjective::time, key);
      ASSERT_EQ(row.executeStep(), found.has_value());
      if (!found) continue;
      EXPECT_EQ(found->failed, row.getColumn(0).getInt() != 0);
      if (found->failed) continue;
      EXPECT_EQ(found->entry.value, row.getColumn(1).getDouble());
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RankingProperty, ::testing::Range(1u, 26u));

TEST(RankingByEnergy, IsByJoulesOrTheirProductWithTime) {
  DatabaseSample sample;
  const auto record = [&](RunId run, int number, double seconds, double joules) {
    Evaluation evaluation = measured(example_configuration(number), {seconds});
    evaluation.outcome->energy = joules;
    sample.store().record(run, evaluation);
  };
  const RunId run = sample.store().begin_run(example_run());
  record(run, 1, 1e-3, 9);
  record(run, 2, 2e-3, 3);
  record(run, 3, 9e-3, 2);
  record(run, 4, 1e-4, 0);  // not measured
  lookup::Connection connection(sample.database().connection().getHandle(), "sample");
  const auto order = [&](lookup::RankingObjective objective) {
    std::vector<std::int64_t> result;
    for (const lookup::RankedRecord& one : lookup::fastest(connection, 1, objective, 9))
      result.push_back(one.evaluation);
    return result;
  };
  EXPECT_EQ(order(lookup::RankingObjective::time), (std::vector<std::int64_t>{4, 1, 2, 3}));
  EXPECT_EQ(order(lookup::RankingObjective::energy), (std::vector<std::int64_t>{3, 2, 1}));
  EXPECT_EQ(order(lookup::RankingObjective::edp), (std::vector<std::int64_t>{2, 1, 3}));
  // Finals by energy decide about energy, and nothing about time: what they did not confirm comes behind.
  sample.record(example_key(), {{5, 5e-3}, {6, 6e-3}}, {{5, 5e-3}}, Objective::energy);
  EXPECT_EQ(order(lookup::RankingObjective::energy), (std::vector<std::int64_t>{5, 6, 3, 2, 1}));
  EXPECT_EQ(order(lookup::RankingObjective::time), (std::vector<std::int64_t>{4, 1, 2, 5, 6, 3}));
}

}  // namespace
}  // namespace tune::testing
