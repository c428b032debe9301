// SPDX-License-Identifier: Apache-2.0
#include "reports/data/report_data.hpp"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/store/sqlite_store.hpp"
#include "reports/page/page_parts.hpp"
#include "reports/report.hpp"
#include "tests/db/examples.hpp"
#include "tests/reports/invented_database.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

using reports::Section;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReportDataTest : public ::testing::Test {
 protected:
  ReportDataTest() { invent(database_); }

  Section first_section(const reports::ReportFilter& filter = {}, const reports::FactsOf& facts_of = {}) {
    return reports::collect(database_, filter, facts_of).sections.at(0);
  }
  std::vector<std::string> sizes(const reports::ReportFilter& filter) {
    std::vector<std::string> result;
    for (const Section& section : reports::collect(database_, filter).sections)
      result.push_back(section.workload.size + " " + std::string(to_string(section.workload.origin)));
    return result;
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
};

TEST_F(ReportDataTest, FiguresFollowFromCurrentEvaluations) {
  const Section section = first_section({.size = "512x256x128"});
  ASSERT_TRUE(section.winner);
  EXPECT_EQ(section.winner->time, 1.92e-3);
  EXPECT_THAT(section.winner_samples, ElementsAre(1.9e-3, 1.95e-3, 1.92e-3));
  EXPECT_EQ(section.measured, 4U);
  EXPECT_EQ(reports::evaluated(section), 9U);
  // 1.92, 1.925 (in the finals; 2.5 before), 2.2 (measured again: 2.0 before), 4.05
  EXPECT_DOUBLE_EQ(*section.median_value, (1.925e-3 + 2.2e-3) / 2);
  EXPECT_DOUBLE_EQ(*reports::gain(section, section.median_value), (1.925e-3 + 2.2e-3) / 2 / 1.92e-3);
  EXPECT_EQ(section.close, 2U);
  EXPECT_TRUE(reports::ties(section, section.evaluations.at(1)));
  EXPECT_FALSE(reports::ties(section, section.evaluations.at(0)));
  EXPECT_FALSE(reports::ties(section, section.evaluations.at(2)));
  EXPECT_EQ(section.space_size, 20U);
  EXPECT_DOUBLE_EQ(*reports::share_of_limit(section.amount, 1.25e-3), 1);
}

TEST_F(ReportDataTest, CloseCountsWhatIsWithinFivePercent) {
  const Section section = first_section({.problem = "transpose"});
  EXPECT_EQ(section.close, 1U);
  EXPECT_FALSE(reports::share_of_limit(section.amount, 1));
}

TEST_F(ReportDataTest, FailuresAreCountedByPhaseAndCause) {
  const Section section = first_section({.size = "512x256x128"});
  std::vector<std::pair<Phase, std::int64_t>> phases;
  for (const reports::PhaseCount& failed : section.failed_phases)
    phases.emplace_back(failed.phase, failed.count);
  EXPECT_THAT(phases, ElementsAre(std::pair(Phase::constraint, 1), std::pair(Phase::compile, 1),
                                  std::pair(Phase::verify, 2), std::pair(Phase::timeout, 1)));
  EXPECT_EQ(section.failures.at(2).detail, "at (0, 0, 1)");
}

TEST_F(ReportDataTest, TheGainOverTheDefaultNeedsItsMeasurement) {
  EXPECT_FALSE(first_section({.size = "512x256x128"}).default_value);
  const auto default_is = [](const Configuration& configuration) {
    return [configuration](const db::Workload&) { return reports::ProblemFacts{configuration}; };
  };
  const Configuration slow{{"vectorise", false}, {"block_y", 4}, {"block_x", 16}, {"variant", "direct"}};
  const Section section = first_section({.size = "512x256x128"}, default_is(slow));
  EXPECT_EQ(section.default_value, 4.05e-3);
  EXPECT_DOUBLE_EQ(*reports::gain(section, section.default_value), 4.05 / 1.92);
  const Configuration never{{"variant", "other"}};
  EXPECT_FALSE(first_section({.size = "512x256x128"}, default_is(never)).default_value);
}

TEST_F(ReportDataTest, TheOrderAtTheCheaperInstanceIsComparedWithThatInFull) {
  WorkloadKey key = example_key(), cheaper = key;
  key.instance.settings.emplace_back("steps", 480);
  cheaper.instance.settings.emplace_back("steps", 24);
  db::SqliteStore store(database_);
  const auto run = [&](const WorkloadKey& at, const std::vector<std::pair<int, double>>& times) {
    const RunId id = store.begin_run(run_of(at));
    for (const auto& [block, seconds] : times) store.record(id, measured({{"block_x", block}}, {seconds}));
    store.end_run(id, RunEnd::budget);
    return id;
  };
  run(cheaper, {{16, 1e-3}, {32, 2e-3}, {64, 3e-3}, {128, 4e-3}, {256, 5e-3}});
  const RunId id = run(key, {{64, 60e-3}, {16, 20e-3}, {32, 40e-3}, {512, 1e-3}});
  const auto facts = [&](const db::Workload&) {
    return reports::ProblemFacts{.low_fidelity = cheaper.instance, .low_fidelity_text = "steps=24"};
  };
  const Section section = first_section({.run = id}, facts);
  EXPECT_EQ(section.fidelity.pairs, 3U);
  EXPECT_DOUBLE_EQ(section.fidelity.correlation.value(), 1);
  const reports::ReportData data = reports::collect(database_, {.run = id}, facts);
  EXPECT_NE(reports::text_report(data).find("3 were measured at steps=24 and in full: rank correlation 1.00"),
            std::string::npos)
      << reports::text_report(data);
  EXPECT_EQ(first_section({.run = id}).fidelity.pairs, 0U);
}

/// A database of one run that maximises a metric.
class MetricReport : public ::testing::Test {
 protected:
  MetricReport() { invent_metric(database_); }
  reports::ReportData data(const reports::FactsOf& facts_of = {}) {
    return reports::collect(database_, {}, facts_of);
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
};

TEST_F(MetricReport, RanksByTheMetricOfItsRun) {
  const reports::ReportData all = data();
  const Section& section = all.sections.at(0);
  ASSERT_TRUE(section.winner);
  EXPECT_EQ(to_string(section.objective), "max:GFLOP/s");
  EXPECT_EQ(section.winner->configuration.find("block_x")->as_int(), 64);
  EXPECT_EQ(section.evaluations.at(1).configuration.find("block_x")->as_int(), 32);
  EXPECT_EQ(section.objective.shown(reports::value_of(section.evaluations.at(2))), 750);
  EXPECT_EQ(section.measured, 9U);
  EXPECT_EQ(section.without_value, 1U);  // the fastest
  EXPECT_EQ(section.stored->tied, 1U);
  EXPECT_DOUBLE_EQ(section.objective.shown(*section.median_value), 550);
  std::vector<double> improvements;
  for (const auto& point : section.runs.at(0).improvements)
    improvements.push_back(section.objective.shown(*point.best));
  EXPECT_THAT(improvements, ElementsAre(500, 790, 800));
}

TEST_F(MetricReport, AllFormatsNameTheMetricAndItsValues) {
  const reports::ReportData all = data();
  const std::string text = reports::text_report(all);
  for (const char* const words :
       {"max:GFLOP/s: GFLOP/s 800", "1.45x better than the median", "1 other configuration",
        "1      800      4 ms  100 %", "2      790      2 ms  99 %", "ties +0.10 %",
        "10 measured (1 of them without GFLOP/s)"})
    EXPECT_THAT(text, HasSubstr(words));
  const auto json = nlohmann::json::parse(reports::find_report("json")->render(all)).at("sections").at(0);
  EXPECT_EQ(json.at("objective"), "max:GFLOP/s");
  EXPECT_EQ(json.at("best").at("value"), 800);
  EXPECT_EQ(json.at("best").at("seconds"), 4e-3);
  EXPECT_TRUE(json.at("median_seconds").is_null());
  EXPECT_EQ(json.at("median_value"), 550);
  EXPECT_EQ(json.at("runs").at(0).at("best_value"), 800);
  EXPECT_TRUE(json.at("evaluations").at(9).at("value").is_null());
  const std::string csv = reports::find_report("csv")->render(all);
  EXPECT_THAT(csv, HasSubstr(",max:GFLOP/s,800\n"));
  EXPECT_THAT(csv, HasSubstr(",max:GFLOP/s,\n"));
  const std::string page = reports::find_report("html")->render(all);
  for (const char* const words :
       {"ranked by GFLOP/s; the largest is best", "differences in GFLOP/s",
        R"("objective":{"name":"GFLOP/s","unit":null,"maximised":true})", R"("value":[0.00125,)"})
    EXPECT_THAT(page, HasSubstr(words));
}

TEST_F(MetricReport, AFormulaGivesTheValuesThatWereNotRecorded) {
  const auto facts = [](const db::Workload&) {
    reports::ProblemFacts known;
    known.with_formula = [](const Objective& named) {
      MetricObjective metric = *named.of_metric();
      metric.value = [](const MeasuredFigures& figures) { return std::optional(1 / figures.seconds); };
      return Objective(metric);
    };
    return known;
  };
  const reports::ReportData all = data(facts);
  EXPECT_EQ(all.sections.at(0).measured, 10U);
  EXPECT_EQ(all.sections.at(0).winner->time,
            2e-3);  // of the re-ranking, at 500 a second; 4 ms comes after it
}

TEST_F(MetricReport, RanksByTimeAndSaysSoWhereNoValueIsKnown) {
  const auto facts = [](const db::Workload&) {
    reports::ProblemFacts known;
    known.with_formula = [](const Objective& named) {
      MetricObjective metric = *named.of_metric();
      metric.value = [](const MeasuredFigures&) { return std::optional<double>(); };
      return Objective(metric);
    };
    return known;
  };
  const reports::ReportData all = data(facts);
  EXPECT_EQ(all.sections.at(0).winner->time, 0.5e-3);
  EXPECT_THAT(reports::text_report(all),
              HasSubstr("max:GFLOP/s, but the run's definition with this metric was not"));
}

TEST_F(ReportDataTest, SectionsAreSortedAndFiltered) {
  EXPECT_THAT(sizes({}), ElementsAre("64x64x64 measured", "512x256x128 measured", "512x256x128 replayed",
                                     "4096x4096 measured"));
  EXPECT_THAT(sizes({.problem = "transpose"}), ElementsAre("4096x4096 measured"));
  EXPECT_THAT(sizes({.device = "Invented Z9 \"mobile\", 2nd"}), ElementsAre("64x64x64 measured"));
  EXPECT_THAT(sizes({.origin = Origin::replayed}), ElementsAre("512x256x128 replayed"));
  EXPECT_THAT(sizes({.settings = ""}), ElementsAre("4096x4096 measured"));
}

// As texts, 128 would come between 12 and 16, and 0.5 before 0.25 where digits are compared as whole numbers.
TEST(ReportOrder, SettingsThatAreNumbersAreSortedByValue) {
  const TemporaryFolder folder;
  db::Database database(folder / "tune.db");
  db::SqliteStore store(database);
  const std::vector<search::Value> unsorted = {128, 12, "any", 0.5, 16, 0.25, 2};
  for (const search::Value& radius : unsorted) {
    WorkloadKey key = example_key();
    key.instance.settings = {{"radius", radius}};
    const RunId run = store.begin_run(run_of(key));
    store.record(run, measured({{"block_x", 32}}, {1e-3}));
    store.end_run(run, RunEnd::budget);
  }
  std::vector<std::string> order;
  for (const Section& section : reports::collect(database, {}).sections)
    order.push_back(section.workload.settings);
  EXPECT_THAT(order, ElementsAre("radius=0.25", "radius=0.5", "radius=2", "radius=12", "radius=16",
                                 "radius=128", "radius=any"));
}

TEST_F(ReportDataTest, VersionsThatWereTunedAgainAreLeftOutUnlessAskedFor) {
  EXPECT_EQ(sizes({.size = "512x256x128"}).size(), 2U);
  EXPECT_EQ(sizes({.size = "512x256x128", .all_versions = true}).size(), 3U);
  EXPECT_EQ(first_section({.size = "512x256x128"}).workload.toolchain.source_hash, "0123abcd");
}

TEST_F(ReportDataTest, RunsTellWhereTheBestFell) {
  const Section section = first_section({.size = "512x256x128"});
  ASSERT_EQ(section.runs.size(), 2U);
  EXPECT_EQ(section.runs[0].summary.strategy, "grid");  // the newest
  EXPECT_EQ(section.runs[0].summary.reused, 4);
  std::vector<std::int64_t> sequences;
  std::vector<double> bests;
  for (const db::ProgressPoint& point : section.runs[1].improvements) {
    sequences.push_back(point.sequence);
    bests.push_back(*point.best);
  }
  EXPECT_THAT(sequences, ElementsAre(0, 3, 7));
  EXPECT_THAT(bests, ElementsAre(4.05e-3, 2e-3, 1.92e-3));
}

TEST_F(ReportDataTest, AReportOfARunHasWhatItSawAndChose) {
  const auto data = reports::collect(database_, {.run = 2});
  ASSERT_EQ(data.sections.size(), 1U);
  const Section& section = data.sections[0];
  EXPECT_EQ(reports::evaluated(section), 8U);  // the one that a later run measured again as it was then
  EXPECT_EQ(section.measured, 4U);
  EXPECT_EQ(section.winner->time, 1.92e-3);
  EXPECT_EQ(section.evaluations.front().evaluation, section.winner->evaluation);
  ASSERT_EQ(section.runs.size(), 1U);
  EXPECT_EQ(section.runs[0].summary.run, 2);
  EXPECT_EQ(section.failures.size(), 3U);
  ASSERT_TRUE(section.found);
  EXPECT_EQ(section.found->sequence, 7);
  EXPECT_EQ(section.found->elapsed, 8);
}

TEST_F(ReportDataTest, WhatNewerRunsWereMadeWithMakesASectionOutdated) {
  std::vector<std::size_t> outdated;
  for (const Section& section :
       reports::collect(database_, {.size = "512x256x128", .all_versions = true}).sections)
    outdated.push_back(section.outdated.size());
  std::ranges::sort(outdated);
  EXPECT_THAT(outdated, ElementsAre(0U, 0U, 1U));
  EXPECT_TRUE(first_section({.size = "512x256x128"}).outdated.empty());
}

TEST_F(ReportDataTest, NothingToShowIsAnError) {
  try {
    reports::collect(database_, {.problem = "nothing"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::no_answer);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("tune list"));
  }
}

TEST_F(ReportDataTest, ASectionWithoutARunThatCanBeReadIsLeftOut) {
  database_.connection().exec(
      "UPDATE devices SET facts = json_set(facts, '$.driver', 5) WHERE name LIKE '%mobile%'");
  EXPECT_THAT(sizes({}), ElementsAre("512x256x128 measured", "512x256x128 replayed", "4096x4096 measured"));
  database_.connection().exec("UPDATE devices SET facts = json_set(facts, '$.driver', 5)");
  EXPECT_THROW(reports::collect(database_, {}), Error);
  EXPECT_FALSE(database_.left_out().empty());
}

TEST_F(ReportDataTest, ADatabaseForReadingIsEnough) {
  const db::Database reader(folder_ / "tune.db", db::OpenMode::read_only);
  EXPECT_EQ(reports::collect(reader, {}).sections.size(), 4U);
}

/// The same data with evaluations from one query for all of them.
reports::ReportData listed(const db::Database& database, const reports::ReportFilter& filter,
                           reports::ReportData data) {
  for (Section& section : data.sections) {
    std::vector<db::ResultRow>& rows = section.evaluations;
    section.stored.reset();
    if (!filter.run) {
      rows = db::list_results(database, {.workload = section.workload.id, .failures = true});
      continue;
    }
    rows = db::list_results(database, {.run = filter.run, .failures = true, .superseded = true});
    const auto winner = db::run_details(database, *filter.run).winner;
    if (!winner) continue;  // it is first, whatever later runs measured
    const auto place = std::ranges::find(rows, winner->evaluation, &db::ResultRow::evaluation);
    std::rotate(rows.begin(), place, place + 1);
    rows.front() = *winner;
  }
  return data;
}

TEST_F(ReportDataTest, EvaluationsThatStayInTheDatabaseGiveTheSameReports) {
  const auto any_default = [](const db::Workload&) {
    return reports::ProblemFacts{
        Configuration{{"variant", "direct"}, {"block_x", 16}, {"block_y", 4}, {"vectorise", false}}};
  };
  std::vector<reports::ReportFilter> filters = {{}, {.top = 1}, {.all_versions = true}};
  for (const db::RunSummary& run : db::list_runs(database_)) filters.push_back({.run = run.run});
  for (const reports::ReportFilter& filter : filters) {
    SCOPED_TRACE(filter.run.value_or(0));
    const auto stored = reports::collect(database_, filter, any_default);
    for (const Section& section : stored.sections)
      EXPECT_LE(section.evaluations.size(), std::max<std::size_t>(filter.top, 1));
    const auto all = listed(database_, filter, stored);
    for (const reports::ReportKind& kind : reports::report_kinds())
      EXPECT_EQ(kind.render(stored), kind.render(all)) << kind.name;
    const reports::PageParts one = reports::page_parts(stored, {.rows = 6}),
                             other = reports::page_parts(all, {.rows = 6});
    for (std::size_t i = 0; i < one.each.size(); ++i) {
      EXPECT_EQ(one.each[i].head, other.each[i].head);
      EXPECT_EQ(one.each[i].body, other.each[i].body);
    }
  }
}

}  // namespace
}  // namespace tune::testing
