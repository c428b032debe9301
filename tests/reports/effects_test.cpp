// SPDX-License-Identifier: Apache-2.0
#include "reports/page/effects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reports/data/report_data.hpp"
#include "reports/page/sampling.hpp"
#include "reports/page/why.hpp"
#include "tests/reports/large_data.hpp"

namespace tune::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Times in seconds of configurations; sorted, as a report has them.
reports::Section section_of(std::vector<std::pair<Configuration, double>> measured) {
  std::ranges::stable_sort(measured, {}, [](const auto& each) { return each.second; });
  reports::Section section;
  for (const auto& [configuration, time] : measured) {
    db::ResultRow& row = section.evaluations.emplace_back();
    row.configuration = configuration;
    row.time = time;
  }
  section.measured = measured.size();
  section.winner = section.evaluations.front();
  return section;
}

/// `a` alone decides; `b` does nothing; `c` exists with a = 1 only and doubles the time.
reports::Section simple() {
  std::vector<std::pair<Configuration, double>> measured;
  for (int repeat = 0; repeat < 8; ++repeat)
    for (const int a : {1, 2})
      for (const int b : {1, 2, 4}) {
        Configuration configuration = {{"a", a}, {"b", b}, {"r", repeat}};
        if (a == 1) configuration.set("c", repeat % 2 == 0);
        measured.emplace_back(configuration, a == 1 ? (repeat % 2 == 0 ? 1.0 : 2.0) : 10.0);
      }
  return section_of(measured);
}

std::vector<std::string> why_it_wins(const reports::Section& section) {
  const reports::ValueTable table = reports::value_table(section);
  return reports::why_it_wins(section, table, reports::parameter_effects(table));
}

std::size_t index_of(const reports::ValueTable& table, const std::string& name) {
  const auto found = std::ranges::find(table.parameters, name, &reports::MeasuredParameter::name);
  return static_cast<std::size_t>(found - table.parameters.begin());
}

TEST(ValueTable, KnowsValuesInOrderAndWhatDoesNotExist) {
  const reports::ValueTable table = reports::value_table(simple());
  const std::size_t b = index_of(table, "b"), c = index_of(table, "c");
  EXPECT_THAT(table.parameters[b].values, ElementsAre(search::Value(1), search::Value(2), search::Value(4)));
  EXPECT_TRUE(table.parameters[b].numeric);
  EXPECT_FALSE(table.parameters[c].numeric);
  EXPECT_EQ(table.level(c, table.rows - 1), -1);  // the slowest have a = 2
}

TEST(ParameterEffects, ImportanceIsTheShareOfVarianceThatAParameterExplains) {
  const reports::Section section = simple();
  const reports::ValueTable table = reports::value_table(section);
  const auto effects = reports::parameter_effects(table);
  const auto importance = [&](const char* name) {
    return effects[index_of(table, name)].importance.value_or(-1);
  };
  EXPECT_GT(importance("a"), 0.9);
  EXPECT_LT(importance("a"), 1.0);
  EXPECT_EQ(importance("b"), 0);  // nothing is left after the correction for chance
  EXPECT_NEAR(importance("c"), 1, 1e-9);
  EXPECT_EQ(effects[index_of(table, "c")].count, 24U);
}

TEST(ParameterEffects, HaveTheBestAndTheMedianOfEachValue) {
  const reports::Section section = simple();
  const reports::ValueTable table = reports::value_table(section);
  const auto values = reports::parameter_effects(table)[index_of(table, "a")].values;
  EXPECT_EQ(values[0].count, 24U);
  EXPECT_EQ(values[0].best, 0U);
  EXPECT_EQ(values[0].median, 1.5);
  EXPECT_EQ(values[1].best, 24U);
}

TEST(ParameterEffects, OneValueHasNoImportance) {
  const reports::Section section = section_of({{{{"a", 1}}, 1.0}, {{{"a", 1}, {"b", 1}}, 2.0}});
  const auto effects = reports::parameter_effects(reports::value_table(section));
  EXPECT_FALSE(effects[0].importance);
  EXPECT_FALSE(effects[1].importance);
}

TEST(StrongestPair, FindsWhatOnlyMattersTogether) {
  std::vector<std::pair<Configuration, double>> measured;
  for (int repeat = 0; repeat < 5; ++repeat)
    for (const int x : {0, 1})
      for (const int y : {0, 1})
        for (const int z : {0, 1})
          measured.emplace_back(Configuration{{"x", x}, {"z", z}, {"y", y}}, x == y ? 1.0 : 3.0);
  const reports::Section section = section_of(measured);
  const reports::ValueTable table = reports::value_table(section);
  const auto pair = reports::strongest_pair(table);
  ASSERT_TRUE(pair);
  EXPECT_EQ(table.parameters[pair->first].name, "x");
  EXPECT_EQ(table.parameters[pair->second].name, "y");
}

TEST(Neighbours, DifferInOneParameterAndHaveTheSame) {
  const reports::Section section = section_of({{{{"a", 1}, {"b", 1}}, 1.0},
                                               {{{"a", 2}, {"b", 1}}, 2.0},
                                               {{{"a", 2}, {"b", 2}}, 3.0},
                                               {{{"a", 1}}, 4.0}});
  EXPECT_THAT(reports::neighbours_of_winner(reports::value_table(section)), ElementsAre(1U));
}

TEST(ShownRows, AreAllWhereThereIsRoom) {
  const reports::ReportData data = large_data(100);
  const auto shown = reports::shown_rows(reports::value_table(data.sections[0]), 100);
  EXPECT_EQ(shown.rows.size(), 100U);
  EXPECT_TRUE(std::ranges::all_of(shown.even, [](bool even) { return even; }));
}

TEST(ShownRows, KeepTheBestOfAllOfEachValueAndAnEvenRest) {
  const reports::Section section = large_data(20'000).sections[0];
  const reports::ValueTable table = reports::value_table(section);
  const auto shown = reports::shown_rows(table, 2'000);
  EXPECT_LE(shown.rows.size(), 2'600U);
  EXPECT_GE(shown.rows.size(), 1'500U);
  for (std::size_t row = 0; row < 500; ++row) ASSERT_EQ(shown.rows[row], row);
  const std::set<std::size_t> rows(shown.rows.begin(), shown.rows.end());
  for (const auto& effect : reports::parameter_effects(table))
    for (const auto& value : effect.values) EXPECT_THAT(rows, Contains(value.best));
  // The quantiles of the even part are those of all.
  std::vector<std::size_t> even;
  for (std::size_t i = 0; i < shown.rows.size(); ++i)
    if (shown.even[i]) even.push_back(shown.rows[i]);
  ASSERT_GT(even.size(), 100U);
  EXPECT_NEAR(static_cast<double>(even[even.size() / 2]), 10'000, 100);
  EXPECT_NEAR(static_cast<double>(even[even.size() / 10]), 2'000, 100);
}

TEST(FairShares, SmallSectionsShowAllTheyHave) {
  EXPECT_THAT(reports::fair_shares({1'000, 10, 500}, 100'000), ElementsAre(1'000U, 10U, 500U));
  EXPECT_THAT(reports::fair_shares({1'000, 10, 500}, 610), ElementsAre(300U, 10U, 300U));
  EXPECT_THAT(reports::fair_shares({}, 10), ElementsAre());
}

TEST(WhyItWins, SaysWhatAnotherVariantLoses) {
  const reports::Section section = section_of({{{{"variant", "direct"}, {"n", 1}}, 1e-3},
                                               {{{"variant", "direct"}, {"n", 2}}, 1.5e-3},
                                               {{{"variant", "fused"}, {"n", 1}}, 2e-3}});
  std::string all;
  for (const std::string& sentence : why_it_wins(section)) all += sentence + "\n";
  EXPECT_THAT(all, HasSubstr("It takes 1 ms"));
  EXPECT_THAT(all, HasSubstr("The nearest with another variant is fused: 2 ms, 100 % longer."));
  EXPECT_THAT(all, HasSubstr("n = 2 instead of 1 takes 50 % longer"));
}

TEST(WhyItWins, SaysWhereCopiesFromTheHostBind) {
  reports::Section section = section_of({{{{"n", 1}}, 2.0}, {{{"n", 2}}, 3.0}});
  section.device.compute_major = 9;
  section.device.multiprocessors = 100;
  section.device.core_clock = 1'000'000'000;
  section.device.copy_bandwidth = 8e11;
  section.amount.bytes = 90e9;
  section.amount.flops = 1e12;
  section.amount.limit = 1.6;
  EXPECT_FALSE(reports::ceilings(section).host_bound) << "nobody measured the way from the host";
  section.device.host_to_device_bandwidth = 50e9;
  section.device.device_to_host_bandwidth = 40e9;
  EXPECT_TRUE(reports::ceilings(section).host_bound);
  const std::string first = why_it_wins(section).at(0), second = why_it_wins(section).at(1);
  EXPECT_THAT(first, HasSubstr("by the roofline of copies between host and device"));
  EXPECT_THAT(second, HasSubstr("90 GB move between host and device, 45 GB/s in both directions together"));
  EXPECT_THAT(second, HasSubstr("copies reach 50 GB/s to the device and 40 GB/s back"));
  section.amount.limit = 90e9 / 8e11;  // of memory: the device's own
  EXPECT_FALSE(reports::ceilings(section).host_bound);
}

// Which units may do a work is not stored; its limit is.
TEST(WhyItWins, HasTheCeilingOfTheUnitsThatTheLimitIsOf) {
  reports::Section section = section_of({{{{"n", 1}}, 2.0}, {{{"n", 2}}, 3.0}});
  section.device.compute_major = 9;
  section.device.multiprocessors = 100;
  section.device.core_clock = 1'000'000'000;
  section.device.copy_bandwidth = 8e11;
  section.amount.bytes = 8e9;  // 10 ms
  section.amount.flops = 25.6e12;
  for (const double flops : {25.6e12, 204.8e12 / 3, 204.8e12}) {
    section.amount.limit = 25.6e12 / flops;
    EXPECT_DOUBLE_EQ(reports::ceilings(section).flops, flops);
    EXPECT_FALSE(reports::ceilings(section).memory_bound);
    EXPECT_FALSE(reports::ceilings(section).host_bound);
  }
  section.amount.limit = 0;  // unknown
  EXPECT_DOUBLE_EQ(reports::ceilings(section).flops, 25.6e12);
}

TEST(WhyItWins, IsEmptyWhereAllFailed) {
  EXPECT_TRUE(why_it_wins({}).empty());
}

TEST(Times, AreSecondsSince1970) {
  EXPECT_EQ(reports::seconds_of("1970-01-02T00:00:01.500Z"), 86'401.5);
  EXPECT_EQ(reports::seconds_of("2026-01-31T12:00:00.000Z"), 1'769'860'800.0);
  EXPECT_FALSE(reports::seconds_of(""));
  EXPECT_FALSE(reports::seconds_of("2026-13-31T12:00:00.000Z"));
  EXPECT_FALSE(reports::seconds_of("yesterday at noon, or so"));
}

}  // namespace
}  // namespace tune::testing
