// SPDX-License-Identifier: Apache-2.0
// A recorded seed leads to the search that was recorded. Strategies with a model are left out: what their
// mathematics gives differs in the last bit between processors.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "search/strategies/registry.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/landscapes.hpp"

namespace tune::search::testing {
namespace {

constexpr std::size_t evaluations = 48, batch = 8;

std::string trace(Strategy& strategy, const Landscape& landscape) {
  std::string ids;
  for (std::size_t told = 0; told < evaluations;) {
    const std::vector<ConfigurationId> asked = strategy.ask(batch);
    if (asked.empty()) break;
    std::vector<Observation> seen;
    for (const ConfigurationId id : asked) {
      ids += " " + std::to_string(id);
      seen.push_back(landscape.observe(id));
    }
    told += asked.size();
    strategy.tell(seen);
  }
  return ids;
}

TEST(Traces, OfASeedAreWhatTheyWere) {
  std::string text;
  for (const Landscape& landscape : {rugged(3), variants(3)})
    for (const StrategyEntry& entry : strategies()) {
      if (entry.estimates_gain) continue;
      const auto strategy = entry.make({landscape.space(), 7});
      text += std::string(entry.name) + " on " + landscape.name() + ":" + trace(*strategy, landscape) + "\n";
    }
  tune::testing::expect_golden("traces.txt", text);
}

}  // namespace
}  // namespace tune::search::testing
