// SPDX-License-Identifier: Apache-2.0
#include "tests/search/strategies/strategy_conformance.hpp"

#include "search/strategies/registry.hpp"
#include "tests/search/print.hpp"
#include "tests/search/strategies/strategy_conformance_large.hpp"

namespace tune::search::testing {

INSTANTIATE_TEST_SUITE_P(All, StrategyConformance,
                         ::testing::ValuesIn(strategies().begin(), strategies().end()),
                         [](const auto& test) { return std::string(test.param.name); });

namespace {

TEST(Strategies, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const StrategyEntry& entry : strategies()) EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
}

TEST(Strategies, AreMadeByName) {
  const SearchSpace space(conformance_definition());
  for (const StrategyEntry& entry : strategies())
    EXPECT_NE(choose_strategy(entry.name).make({space, 1}), nullptr) << entry.name;
  EXPECT_THROW(choose_strategy("no such strategy"), std::invalid_argument);
}

}  // namespace
}  // namespace tune::search::testing
