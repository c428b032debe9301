// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "search/strategies/model_search.hpp"
#include "tests/search/print.hpp"
#include "tests/support/landscapes.hpp"

namespace tune::search::testing {
namespace {

TEST(Variants, AreTheTextsOfTheFirstParameter) {
  const Landscape landscape = variants(1);
  const SearchSpace& space = landscape.space();
  const Variants found(space);
  ASSERT_EQ(found.size(), 3U);
  ConfigurationId all = 0;
  for (std::size_t v = 0; v < found.size(); ++v) all += found.members(v);
  EXPECT_EQ(all, space.size());
  for (ConfigurationId id = 0; id < space.size(); ++id)
    ASSERT_EQ(found.of(id), static_cast<std::size_t>(space.value_indices(id).front())) << id;
}

TEST(Variants, AreNoNumbersAndNoManyTexts) {
  EXPECT_EQ(Variants(separable(1).space()).size(), 0U);
  SpaceDefinition definition;
  std::vector<Value> names;
  for (const char name : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'})
    names.emplace_back(std::string(1, name));
  definition.parameters = {{"name", "", names, names.front()}, {"x", "", {1, 2}, 1}};
  EXPECT_EQ(Variants(SearchSpace(definition)).size(), 0U) << "nine";
  definition.parameters[0].values.pop_back();
  EXPECT_EQ(Variants(SearchSpace(definition)).size(), 8U);
  definition.constraints = {{var("name") == "c", "one is left"}};
  EXPECT_EQ(Variants(SearchSpace(definition)).size(), 0U);
}

TEST(Variants, OneWithoutConfigurationsIsNone) {
  SpaceDefinition definition;
  definition.parameters = {{"variant", "", {"a", "b", "c"}, "a"}, {"x", "", {1, 2, 3}, 1}};
  definition.constraints = {{var("variant") != "b" || var("x") > 3, "never"}};
  const SearchSpace space(definition);
  const Variants found(space);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.of(space.size() - 1), 1U);
  Random random(1);
  EXPECT_EQ(space.at(found.typical(1, random)).find("variant")->as_text(), "c");
}

TEST(Variants, DrawUnseenOnes) {
  const Landscape landscape = variants(1);
  const Variants found(landscape.space());
  Visited seen(landscape.space().size());
  Random random(1);
  std::set<ConfigurationId> drawn;
  for (int i = 0; i < 40; ++i) {
    const auto id = found.draw(2, seen, random);
    ASSERT_TRUE(id);
    EXPECT_EQ(found.of(*id), 2U);
    EXPECT_TRUE(drawn.insert(*id).second);
    seen.take(*id);
  }
  while (seen.take_random(random)) continue;
  EXPECT_EQ(found.draw(2, seen, random), std::nullopt);
}

TEST(Variants, TheTypicalOneHasTheDefaultsThatAreValid) {
  const Landscape landscape = variants(1);
  const SearchSpace& space = landscape.space();
  const Variants found(space);
  Random random(1);
  EXPECT_EQ(found.typical(0, random), *space.default_configuration());
  const Configuration fft = space.at(found.typical(2, random));
  EXPECT_EQ(fft.find("block_x")->as_int(), 32);
  EXPECT_EQ(fft.find("radix")->as_int(), 4);
  EXPECT_EQ(fft.find("tile"), nullptr);
}

}  // namespace
}  // namespace tune::search::testing
