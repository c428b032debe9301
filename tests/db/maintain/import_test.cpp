// SPDX-License-Identifier: Apache-2.0
// Imported runs are stored as others are: with all indexes, and checks that hold again afterwards.
#include "db/maintain/import.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gtest/gtest.h>

#include "db/maintain/check.hpp"
#include "db/read/run_details.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

const std::string date = "2026-01-31T12:00:00.000Z";

/// `declared`: the number of evaluations that it is said to have; many have the indexes made anew.
db::ImportedRun run_with(std::vector<Evaluation> evaluations, std::int64_t declared) {
  db::ImportedRun run{example_key(), "another 1.0", date, date, declared, {}};
  run.key.origin = Origin::imported;
  run.each = [evaluations = std::move(evaluations)](const db::ImportedRun::Take& take) {
    for (const Evaluation& one : evaluations) take(one, date);
  };
  return run;
}

std::vector<Evaluation> some() {
  std::vector<Evaluation> evaluations;
  for (int i = 0; i < 70; ++i)
    evaluations.push_back(measured(example_configuration(i),
                                   std::vector<double>(static_cast<std::size_t>(i + 1), 1e-3 + 1e-6 * i)));
  evaluations.push_back(failed(example_configuration(1000), Phase::compile, "reason"));
  return evaluations;
}

const db::SourceLabel label = {.file = "x.json", .format = "T4", .has_runs = false};

std::string schema_of(db::Database& database) {
  std::string text;
  SQLite::Statement row(database.connection(), "SELECT name, sql FROM sqlite_schema ORDER BY name");
  while (row.executeStep()) text += row.getColumn(0).getString() + ": " + row.getColumn(1).getString() + "\n";
  return text;
}

void expect_checks(db::Database& database) {
  for (const char* statement :
       {"UPDATE evaluations SET time = -1 WHERE time IS NOT NULL", "UPDATE samples SET seconds = -1",
        "UPDATE samples SET evaluation = 1000000", "UPDATE evaluations SET run = 1000"})
    EXPECT_THROW(database.connection().exec(statement), SQLite::Exception) << statement;
}

class ImportOf : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(ImportOf, ManyOrFewLeavesADatabaseAsOthers) {
  const TemporaryFolder folder;
  db::Database database(folder / "new.db");
  const std::string schema = schema_of(database);
  const db::MergeResult result = db::import_run(database, run_with(some(), GetParam()), label);
  EXPECT_EQ(result.evaluations, 71);
  EXPECT_EQ(result.samples, 70 * 71 / 2);
  EXPECT_EQ(schema_of(database), schema);
  EXPECT_EQ(db::check_database(database).lines, std::vector<std::string>());
  for (std::int64_t i = 1; i <= 70; ++i)
    EXPECT_EQ(db::samples_of(database, i),
              std::vector<double>(static_cast<std::size_t>(i), 1e-3 + 1e-6 * static_cast<double>(i - 1)));
  expect_checks(database);
}

TEST_P(ImportOf, WhatTheTablesRefuseIsAnErrorAndLeavesNothing) {
  const TemporaryFolder folder;
  db::Database database(folder / "new.db");
  const std::string schema = schema_of(database);
  std::vector<Evaluation> evaluations = some();
  evaluations.push_back(measured(example_configuration(2000), {1e-3, -1e-3, 1e-3}));
  EXPECT_THROW(db::import_run(database, run_with(evaluations, GetParam()), label), Error);
  evaluations.back() = measured(example_configuration(2000), {0});
  EXPECT_THROW(db::import_run(database, run_with(evaluations, GetParam()), label), Error);
  EXPECT_EQ(schema_of(database), schema);
  EXPECT_EQ(database.connection().execAndGet("SELECT COUNT(*) FROM evaluations").getInt(), 0);
  db::import_run(database, run_with(some(), GetParam()), label);
  expect_checks(database);
}

INSTANTIATE_TEST_SUITE_P(Evaluations, ImportOf, ::testing::Values(71, 20'000));

}  // namespace
}  // namespace tune::testing
