// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "search/strategies/registry.hpp"
#include "search/strategies/stratified.hpp"
#include "tests/search/print.hpp"

namespace tune::search {
namespace {

std::unique_ptr<Strategy> random_of(const SearchSpace& space, std::uint64_t seed,
                                    const char* name = "random") {
  return choose_strategy(name).make({space, seed});
}

/// 3 variants with 2, 20 and 200 configurations.
SearchSpace uneven() {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "", {"small", "large", "middle"}, "large"}, {"x", "", {}, 0}};
  for (int value = 0; value < 200; ++value) definition.parameters[1].values.emplace_back(value);
  definition.constraints = {{Expr::parse("x < 2 or variant != 'small'"), ""},
                            {Expr::parse("x < 20 or variant != 'middle'"), ""}};
  return SearchSpace(definition);
}

TEST(RandomSearch, SeesEveryVariantFirstWhereValuesAreCovered) {
  const SearchSpace space = uneven();
  std::set<std::vector<int>> orders;
  std::set<ConfigurationId> large;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<int> order;
    for (const ConfigurationId id : random_of(space, seed, "random:values=on")->ask(3)) {
      order.push_back(space.value_indices(id)[0]);
      if (order.back() == 1) large.insert(id);
    }
    orders.insert(order);
    EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), 3U);
  }
  EXPECT_EQ(orders.size(), 6U);  // in every order,
  EXPECT_GT(large.size(), 60U);  // and not always the same one of a variant
}

TEST(RandomSearch, StartsWithValuesAsOftenAsTheSpaceHasThem) {
  const SearchSpace space = uneven();
  const std::size_t start = StratifiedDesign::reasonable_size(space);
  std::vector<int> times(3);
  int fewest_large = 1000;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    int large = 0;
    for (const ConfigurationId id : random_of(space, seed)->ask(start)) {
      ++times[static_cast<std::size_t>(space.value_indices(id)[0])];
      large += space.value_indices(id)[0] == 1 ? 1 : 0;
    }
    fewest_large = std::min(fewest_large, large);
  }
  const double all = 50.0 * static_cast<double>(start);
  EXPECT_NEAR(times[1] / all, 200.0 / 222, 0.03);
  EXPECT_NEAR(times[0] / all, 2.0 / 222, 0.01);
  EXPECT_GE(fewest_large, 26) << "29 of 32 is the mean: fewer than by chance";
}

TEST(UniformSearch, DrawsEachWithTheSameChanceFromTheFirstOn) {
  const SearchSpace space = uneven();
  std::vector<int> times(space.size());
  for (std::uint64_t seed = 0; seed < 6'000; ++seed)
    for (const ConfigurationId id : random_of(space, seed, "uniform")->ask(5)) ++times[id];
  const double expected = 6'000 * 5 / static_cast<double>(space.size());
  for (std::size_t id = 0; id < times.size(); ++id)
    EXPECT_NEAR(times[id], expected, 5.5 * std::sqrt(expected)) << id;
}

TEST(RandomSearch, IsUniformAfterTheStart) {
  const SearchSpace space = uneven();
  // Where it matters: among those that the start did not take. Counted by rank, since these differ each time.
  const std::size_t start = StratifiedDesign::reasonable_size(space);
  std::vector<int> times(space.size() - start);
  constexpr int run_count = 4'000;
  constexpr int draw_count = 20;
  for (std::uint64_t seed = 0; seed < run_count; ++seed) {
    const auto random = random_of(space, seed);
    auto taken = random->ask(start);
    std::ranges::sort(taken);
    for (const ConfigurationId id : random->ask(draw_count))
      ++times.at(id - static_cast<std::size_t>(std::ranges::lower_bound(taken, id) - taken.begin()));
  }
  const double expected = static_cast<double>(run_count * draw_count) / static_cast<double>(times.size());
  for (std::size_t rank = 0; rank < times.size(); ++rank)
    EXPECT_NEAR(times[rank], expected, 5.5 * std::sqrt(expected)) << rank;
}

TEST(RandomSearch, DependsOnTheSeed) {
  const SearchSpace space = uneven();
  EXPECT_NE(random_of(space, 1)->ask(20), random_of(space, 2)->ask(20));
}

TEST(RandomSearch, TraceIsPinned) {
  // A change of this trace changes what a seed means for everybody.
  const SearchSpace space = uneven();
  EXPECT_EQ(random_of(space, 42, "random:values=on")->ask(6),
            (std::vector<ConfigurationId>{0, 210, 164, 91, 221, 1}));
  EXPECT_EQ(random_of(space, 42)->ask(6), (std::vector<ConfigurationId>{221, 152, 82, 12, 87, 18}));
}

}  // namespace
}  // namespace tune::search
