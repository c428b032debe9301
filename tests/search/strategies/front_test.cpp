// SPDX-License-Identifier: Apache-2.0
#include "search/strategies/front.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/strategies/registry.hpp"

namespace tune::search {
namespace {

/// 3^8 configurations. The first quantity wants small values, the second large ones.
SearchSpace front_cube() {
  SpaceDefinition definition;
  for (int p = 0; p < 8; ++p) definition.parameters.push_back({"p" + std::to_string(p), "", {1, 2, 4}, 1});
  return SearchSpace(definition);
}

Observation front_result(const SearchSpace& space, ConfigurationId id) {
  double first = 1, second = 1;
  const std::vector<int> values = space.value_indices(id);
  for (std::size_t p = 0; p < values.size(); ++p) {
    first += values[p] * static_cast<double>(p + 1);
    second += (2 - values[p]) * static_cast<double>(9 - p);
  }
  return {id, first * second, 0, {first, second}};
}

/// The least of both quantities after a hundred evaluations.
std::array<double, 2> least_of_both(Strategy& search, const SearchSpace& space) {
  std::array<double, 2> least = {1e9, 1e9};
  std::set<ConfigurationId> seen;
  while (seen.size() < 100) {
    for (const ConfigurationId id : search.ask(2)) {
      EXPECT_TRUE(seen.insert(id).second) << "asked for twice";
      const Observation one = front_result(space, id);
      for (std::size_t i = 0; i < 2; ++i) least[i] = std::min(least[i], one.parts[i]);
      search.tell({&one, 1});
    }
  }
  return least;
}

TEST(FrontSearch, FindsBothEndsOfAFront) {
  const SearchSpace space = front_cube();
  const StrategyChoice ils = choose_strategy("ils:start=8");
  const auto make = [&](const SearchTask& task) { return ils.make(task); };
  double ends = 0, product_alone = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto search = front_search(make, {space, seed}), alone = make({space, seed});
    const auto [a, b] = least_of_both(*search, space);
    const auto [c, d] = least_of_both(*alone, space);
    ends += a + b;
    product_alone += c + d;
  }
  EXPECT_LT(ends, 0.6 * product_alone);
}

TEST(FrontSearch, VisitsAllOfASmallSpaceAndTakesWhatIsTold) {
  SpaceDefinition definition;
  for (int p = 0; p < 2; ++p) definition.parameters.push_back({"p" + std::to_string(p), "", {1, 2, 4}, 1});
  const SearchSpace space(definition);
  const StrategyChoice random = choose_strategy("random");
  const auto search = front_search([&](const SearchTask& task) { return random.make(task); }, {space, 1});
  const std::vector<Observation> known = {front_result(space, 4), {5, std::nullopt}};
  search->tell(known);
  std::set<ConfigurationId> seen;
  for (int turn = 0; turn < 20; ++turn)
    for (const ConfigurationId id : search->ask(3)) EXPECT_TRUE(seen.insert(id).second);
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_FALSE(seen.contains(4) || seen.contains(5));
}

}  // namespace
}  // namespace tune::search
