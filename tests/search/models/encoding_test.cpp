// SPDX-License-Identifier: Apache-2.0
#include "search/models/encoding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/search/print.hpp"
#include "tests/support/landscapes.hpp"

namespace tune::search::testing {
namespace {

SearchSpace space_of(std::vector<Parameter> parameters) {
  SpaceDefinition definition;
  definition.parameters = std::move(parameters);
  return SearchSpace(std::move(definition));
}

Parameter plain(const std::string& name, std::vector<Value> values) {
  const Value first = values.front();
  return {name, "", std::move(values), first};
}

Parameter extent(const std::string& name, std::vector<Value> values,
                 std::optional<Expr> exists_if = std::nullopt) {
  const Value first = values.front();
  return {name, "", std::move(values), first, std::move(exists_if), Role::threads};
}

const Dimension* find(const Encoding& encoding, const std::string& name) {
  const auto found = std::ranges::find(encoding.dimensions(), name, &Dimension::name);
  return found == encoding.dimensions().end() ? nullptr : &*found;
}

/// The level of a configuration in the dimension with this name.
Level level(const Encoding& encoding, const SearchSpace& space, const std::string& name,
            const std::string& configuration) {
  const auto found = std::ranges::find(encoding.dimensions(), name, &Dimension::name);
  return encoding.encode(space.find(Configuration::parse(configuration))
                             .value())[static_cast<std::size_t>(found - encoding.dimensions().begin())];
}

void expect_places(const Dimension* dimension, const std::vector<double>& expected) {
  ASSERT_NE(dimension, nullptr);
  EXPECT_TRUE(dimension->ordered);
  ASSERT_EQ(dimension->at.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(dimension->at[i], expected[i], 1e-12) << i;
}

void expect_switch(const Dimension* dimension, std::size_t levels) {
  ASSERT_NE(dimension, nullptr);
  EXPECT_FALSE(dimension->ordered);
  EXPECT_EQ(dimension->levels(), levels);
  for (const double at : dimension->at) EXPECT_TRUE(std::isnan(at));
}

TEST(Encoding, PutsPositiveNumbersHalfWayBetweenLogarithmsAndRanks) {
  const SearchSpace space = space_of({plain("powers", {1, 2, 4, 8}), plain("dense", {1, 2, 3, 16}),
                                      plain("real", {0.5, 1.0, 8.0}), plain("turned", {8, 1, 2})});
  const Encoding encoding(space);
  expect_places(find(encoding, "powers"), {0, 1.0 / 3, 2.0 / 3, 1});
  expect_places(find(encoding, "dense"), {0, (1.0 / 4 + 1.0 / 3) / 2, (std::log2(3.0) / 4 + 2.0 / 3) / 2, 1});
  expect_places(find(encoding, "real"), {0, (0.25 + 0.5) / 2, 1});
  expect_places(find(encoding, "turned"), {1, 0, (1.0 / 3 + 0.5) / 2});
}

TEST(Encoding, PutsManyNumbersWithZeroOrLessByTheirRanks) {
  const SearchSpace space = space_of({plain("zero", {0, 1, 2, 3, 100}), plain("less", {-5, -1, 1, 2, 9})});
  const Encoding encoding(space);
  expect_places(find(encoding, "zero"), {0, 0.25, 0.5, 0.75, 1});
  expect_places(find(encoding, "less"), {0, 0.25, 0.5, 0.75, 1});
}

TEST(Encoding, LeavesSwitchesUnordered) {
  const SearchSpace space =
      space_of({plain("text", {"a", "b", "c", "d", "e"}), plain("truth", {false, true}),
                plain("few", {0, 1, 2, 4}), plain("sign", {-1, 1}), plain("few_reals", {0.0, 0.5})});
  const Encoding encoding(space);
  expect_switch(find(encoding, "text"), 5);
  expect_switch(find(encoding, "truth"), 2);
  expect_switch(find(encoding, "few"), 4);
  expect_switch(find(encoding, "sign"), 2);
  expect_switch(find(encoding, "few_reals"), 2);
  EXPECT_EQ(encoding.size(), 5U);
}

TEST(Encoding, SkipsWhatIsTheSameEverywhere) {
  const SearchSpace space = space_of({plain("one", {7}), plain("two", {1, 2})});
  const Encoding encoding(space);
  ASSERT_EQ(encoding.size(), 1U);
  EXPECT_EQ(encoding.dimensions()[0].name, "two");
}

TEST(Encoding, GivesWhatMayBeAbsentALastLevelWithoutAPlace) {
  const SearchSpace space = space_of({plain("kind", {"a", "b"}),
                                      {"tile", "", {1, 2, 4}, 1, var("kind") == "b"},
                                      {"only", "", {3}, 3, var("kind") == "b"},
                                      {"text", "", {"x", "y"}, "x", var("kind") == "b"}});
  const Encoding encoding(space);
  const Dimension* tile = find(encoding, "tile");
  ASSERT_NE(tile, nullptr);
  ASSERT_EQ(tile->levels(), 4U);
  EXPECT_TRUE(tile->ordered);
  EXPECT_DOUBLE_EQ(tile->at[0], 0);
  EXPECT_DOUBLE_EQ(tile->at[2], 1);
  EXPECT_TRUE(std::isnan(tile->at[3]));
  ASSERT_NE(find(encoding, "only"), nullptr);
  EXPECT_EQ(find(encoding, "only")->levels(), 2U);
  expect_switch(find(encoding, "text"), 3);
  for (const char* name : {"tile", "only", "text"})
    EXPECT_EQ(level(encoding, space, name, "kind=a"), find(encoding, name)->levels() - 1) << name;
  EXPECT_EQ(level(encoding, space, "tile", "kind=b,tile=4,only=3,text=y"), 2);
  EXPECT_EQ(level(encoding, space, "text", "kind=b,tile=4,only=3,text=y"), 1);
}

TEST(Encoding, SaysHowOftenTwoDividesWholeNumbersThatAreNotAllPowers) {
  const SearchSpace space = space_of({plain("width", {32, 48, 64, 96}), plain("powers", {1, 2, 4, 8}),
                                      plain("odd", {1, 3, 5, 7}), plain("few", {2, 3, 6}),
                                      plain("zero", {0, 2, 3, 4, 6}), plain("real", {1.5, 2.5, 3.5, 4.5})});
  const Encoding encoding(space);
  EXPECT_EQ(encoding.size(), 7U);
  const Dimension* alignment = find(encoding, "width alignment");
  expect_places(alignment, {0, 1.0 / 6, 2.0 / 6, 3.0 / 6, 4.0 / 6, 5.0 / 6, 1});
  EXPECT_TRUE(alignment->derived);
  EXPECT_FALSE(find(encoding, "width")->derived);
  const std::string rest = ",powers=1,odd=1,few=2,zero=0,real=1.5";
  EXPECT_EQ(level(encoding, space, "width alignment", "width=32" + rest), 5);
  EXPECT_EQ(level(encoding, space, "width alignment", "width=48" + rest), 4);
  EXPECT_EQ(level(encoding, space, "width alignment", "width=64" + rest), 6);
}

TEST(Encoding, GivesAnAbsentAlignmentALevelOfItsOwn) {
  const SearchSpace space =
      space_of({plain("kind", {"a", "b"}), {"width", "", {1, 2, 3, 12}, 1, var("kind") == "b"}});
  const Encoding encoding(space);
  const Dimension* alignment = find(encoding, "width alignment");
  ASSERT_NE(alignment, nullptr);
  ASSERT_EQ(alignment->levels(), 4U);
  EXPECT_TRUE(std::isnan(alignment->at[3]));
  EXPECT_EQ(level(encoding, space, "width alignment", "kind=a"), 3);
  EXPECT_EQ(level(encoding, space, "width alignment", "kind=b,width=12"), 2);
}

TEST(Encoding, MultipliesTheExtentsOfABlock) {
  const SearchSpace space = space_of({extent("x", {8, 16, 32}), extent("y", {1, 2, 3})});
  const Encoding encoding(space);
  const std::vector<double> products = {8, 16, 24, 32, 48, 64, 96};
  std::vector<double> logarithms;
  for (const double product : products) logarithms.push_back(std::log2(product / 8) / std::log2(12.0));
  expect_places(find(encoding, "threads"), logarithms);
  expect_places(find(encoding, "threads alignment"), {0, 1.0 / 6, 2.0 / 6, 0.5, 4.0 / 6, 5.0 / 6, 1});
  EXPECT_TRUE(find(encoding, "threads")->derived);
  EXPECT_TRUE(find(encoding, "threads alignment")->derived);
  EXPECT_EQ(level(encoding, space, "threads", "x=8,y=3"), 2);
  EXPECT_EQ(level(encoding, space, "threads alignment", "x=32,y=3"), 5);
  EXPECT_EQ(level(encoding, space, "threads alignment", "x=8,y=1"), 3);
  EXPECT_EQ(encoding.threads(space.find(Configuration::parse("x=16,y=3")).value()), 48);
  EXPECT_TRUE(encoding.knows_threads());
}

std::vector<Value> whole_numbers(std::int64_t count) {
  std::vector<Value> values;
  for (std::int64_t value = 1; value <= count; ++value) values.emplace_back(value);
  return values;
}

TEST(Encoding, RoundsManyNumbersToAGrid) {
  const SearchSpace space = space_of({plain("kind", {"a", "b"}),
                                      {"many", "", whole_numbers(70'000), 1, var("kind") == "b"},
                                      plain("few", whole_numbers(256))});
  const Encoding encoding(space);
  const Dimension* many = find(encoding, "many");
  ASSERT_NE(many, nullptr);
  EXPECT_EQ(many->levels(), grid_steps + 1) << "and one where it does not exist";
  EXPECT_EQ(find(encoding, "few")->levels(), 256U);
  EXPECT_EQ(level(encoding, space, "many", "kind=a,few=1"), grid_steps);
  EXPECT_EQ(level(encoding, space, "many", "kind=b,many=1,few=1"), 0U);
  EXPECT_EQ(level(encoding, space, "many", "kind=b,many=70000,few=1"), grid_steps - 1);
  const Level middle = level(encoding, space, "many", "kind=b,many=35000,few=1");
  const double place = (std::log2(35'000.0) / std::log2(70'000.0) + 34'999.0 / 69'999) / 2;
  EXPECT_NEAR(many->at[middle], place, 0.5 / (grid_steps - 1));
}

TEST(Encoding, RoundsManyProductsOfExtentsToAGrid) {
  const SearchSpace space = space_of({extent("x", whole_numbers(4000)), extent("y", whole_numbers(4000))});
  const Encoding encoding(space);
  const Dimension* threads = find(encoding, "threads");
  ASSERT_NE(threads, nullptr);
  EXPECT_EQ(threads->levels(), grid_steps);
  EXPECT_EQ(level(encoding, space, "threads", "x=1,y=1"), 0U);
  EXPECT_EQ(level(encoding, space, "threads", "x=4000,y=4000"), grid_steps - 1);
  EXPECT_NEAR(threads->at[level(encoding, space, "threads", "x=1,y=4000")], 0.5, 1.0 / grid_steps);
  EXPECT_EQ(level(encoding, space, "threads alignment", "x=6,y=12"), 3U);
}

TEST(Encoding, CountsAnAbsentExtentOnce) {
  const SearchSpace space = space_of(
      {plain("kind", {"flat", "deep"}), extent("x", {3, 5}), extent("z", {7, 11}, var("kind") == "deep")});
  const Encoding encoding(space);
  ASSERT_NE(find(encoding, "threads"), nullptr);
  EXPECT_EQ(find(encoding, "threads")->levels(), 6U);  // 3 5 21 33 35 55
  EXPECT_EQ(find(encoding, "threads alignment"), nullptr) << "all are odd";
  EXPECT_EQ(encoding.threads(space.find(Configuration::parse("kind=flat,x=5")).value()), 5);
  EXPECT_EQ(encoding.threads(space.find(Configuration::parse("kind=deep,x=5,z=7")).value()), 35);
  EXPECT_EQ(level(encoding, space, "threads", "kind=flat,x=3"), 0);
  EXPECT_EQ(level(encoding, space, "threads", "kind=flat,x=5"), 1);
  EXPECT_EQ(level(encoding, space, "threads", "kind=deep,x=5,z=7"), 4);
}

TEST(Encoding, NeedsNoDimensionForOneExtent) {
  const SearchSpace space = space_of({extent("x", {32, 64}), extent("y", {4})});
  const Encoding encoding(space);
  EXPECT_EQ(encoding.size(), 1U);
  EXPECT_EQ(encoding.threads(1), 256);
}

TEST(Encoding, IgnoresExtentsThatAreNoPositiveNumbers) {
  for (const std::vector<Value>& values :
       {std::vector<Value>{"warp", "block"}, {0, 32}, {-32, 32, 64, 1, 2}, {false, true}, {0.5, 2.0}, {}}) {
    std::vector<Parameter> parameters = {plain("other", {1, 2})};
    if (!values.empty()) parameters.push_back(extent("x", values));
    const SearchSpace space = space_of(parameters);
    const Encoding encoding(space);
    EXPECT_FALSE(encoding.knows_threads());
    EXPECT_EQ(encoding.threads(0), std::nullopt);
    EXPECT_EQ(encoding.encode(0).size(), encoding.size());
  }
  const SearchSpace space = space_of({extent("x", {"warp", "block"}), extent("y", {32, 64})});
  EXPECT_EQ(Encoding(space).threads(1), 64) << "the others count";
}

TEST(Encoding, TellsAllConfigurationsApartByExistingLevels) {
  for (const Landscape& landscape : {variants(1), needle(1)}) {
    const Encoding encoding(landscape.space());
    std::set<std::vector<Level>> seen;
    for (ConfigurationId id = 0; id < landscape.space().size(); ++id) {
      const std::vector<Level> levels = encoding.encode(id);
      for (std::size_t d = 0; d < levels.size(); ++d)
        ASSERT_LT(levels[d], encoding.dimensions()[d].levels()) << encoding.dimensions()[d].name;
      seen.insert(levels);
    }
    EXPECT_EQ(seen.size(), landscape.space().size());
  }
}

}  // namespace
}  // namespace tune::search::testing
