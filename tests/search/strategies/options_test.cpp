// SPDX-License-Identifier: Apache-2.0
// Strategies with options: how they are named, refused and listed.
#include "search/ask_tell/options.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "search/strategies/model_search.hpp"
#include "search/strategies/registry.hpp"
#include "tests/support/landscapes.hpp"

namespace tune::search::testing {
namespace {

std::string name_of(std::string_view text) {
  return choose_strategy(text).name();
}

std::string refusal(std::string_view text) {
  try {
    choose_strategy(text);
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(StrategyOptions, EqualSearchesHaveEqualNames) {
  EXPECT_EQ(name_of("auto"), "model");
  EXPECT_EQ(name_of("auto:start=10"), "model:start=10");
  EXPECT_EQ(name_of("model:softness=1.0:start=07"), "model:start=7:softness=1") << "in the list's order";
  EXPECT_EQ(name_of("model:start=5:beliefs=on:neighbours=3"), "model") << "all of these are defaults";
  EXPECT_EQ(name_of("model:neighbours=never"), "model:neighbours=never");
  EXPECT_EQ(name_of("random"), "random");
}

TEST(StrategyOptions, ANameIsReadAsTheSameOptions) {
  for (const char* text : {"model:start=10", "model:beliefs=off:derived=off:softness=0.125",
                           "model:noise=1e-05:neighbours=never"})
    EXPECT_EQ(name_of(name_of(text)), text);
}

TEST(StrategyOptions, WhatCannotBeMeantIsRefusedWithTheList) {
  EXPECT_EQ(refusal("modell:start=10"), "there is no strategy 'modell' (did you mean 'model'?)");
  for (const char* text :
       {"model:strat=10", "model:start=0", "model:start=-1", "model:start=1.5", "model:start=1e99",
        "model:start=10x", "model:start=", "model:start", "model:", "model:=3", "model::start=3",
        "model:start=3:start=4", "model:beliefs=yes", "model:softness=0", "model:softness=nan",
        "model:softness=inf", "model:neighbours=0", "model:start=never"})
    EXPECT_NE(refusal(text).find("model has the options start=5 (1 to 1000); "), std::string::npos)
        << text << ": " << refusal(text);
  EXPECT_NE(refusal("model:strat=10").find("did you mean 'start'?"), std::string::npos);
  EXPECT_NE(refusal("model:start=0").find("start=0: expected a whole number, 1 to 1000"), std::string::npos);
  EXPECT_NE(refusal("model:neighbours=0").find("1 to 1000 or never"), std::string::npos);
  EXPECT_NE(refusal("uniform:start=3").find("uniform has no options"), std::string::npos);
}

std::vector<ConfigurationId> asked(Strategy& strategy, const Landscape& landscape, int count) {
  std::vector<ConfigurationId> ids;
  for (int i = 0; i < count; ++i) {
    ids.push_back(strategy.ask(1).at(0));
    strategy.tell(std::vector{landscape.observe(ids.back())});
  }
  return ids;
}

std::vector<ConfigurationId> asked(std::string_view text, const Landscape& landscape, int count = 40) {
  return asked(*choose_strategy(text).make({landscape.space(), 5}), landscape, count);
}

/// 1,200 blocks and tiles: what is believed of blocks matters, and not only that.
Landscape blocks() {
  SpaceDefinition definition;
  definition.parameters = {
      {"block_x", "", {8, 16, 24, 32, 48, 64, 96, 128, 192, 256}, 32, std::nullopt, Role::threads},
      {"block_y", "", {1, 2, 3, 4, 8, 16}, 1, std::nullopt, Role::threads},
      {"tile", "", {1, 2, 4, 6, 8}, 1},
      {"layout", "", {"rows", "columns", "blocks", "curve"}, "rows"}};
  SearchSpace space(std::move(definition));
  std::vector<std::optional<double>> costs;
  for (ConfigurationId id = 0; id < space.size(); ++id) {
    const std::vector<int> at = space.value_indices(id);
    const int far = (at[0] - 6) * (at[0] - 6) + (at[1] - 2) * (at[1] - 2) + (at[2] - 3) * (at[2] - 3);
    costs.emplace_back(1e-3 * (1 + 0.05 * far + 0.2 * (at[3] ^ (at[0] % 3))));
  }
  return {"blocks", std::move(space), std::move(costs)};
}

// An option that nothing reads would be an ablation of nothing. Those of related records and of spaces too
// large to list show elsewhere.
TEST(StrategyOptions, EachChangesASearch) {
  const Landscape landscape = blocks();
  const auto usual = asked("model", landscape);
  ModelSearch built({landscape.space(), 5});
  EXPECT_EQ(asked(built, landscape, 40), usual);
  for (const char* option : {"start=10", "sample=4", "beliefs=off", "derived=off", "softness=3", "length=0.2",
                             "length-spread=0.01", "noise=0.3", "noise-spread=0.01", "neighbours=never",
                             "neighbours=1", "pool=100", "lean=0"})
    EXPECT_NE(asked(std::string("model:") + option, landscape), usual) << option;
}

TEST(StrategyOptions, EachOfTheClassicOnesChangesASearch) {
  const Landscape landscape = blocks();
  for (const char* text :
       {"annealing:start=20", "annealing:restart=20", "annealing:hot=5", "annealing:cold=0.2",
        "annealing:cooling=0.5", "annealing:patience=3", "genetic:population=5", "genetic:mutations=0.1",
        "genetic:patience=5", "ils:start=20", "ils:restart=20", "ils:kick=2", "ils:kicks=1",
        "pso:particles=5", "pso:inertia=0.2", "pso:pull=0.3", "pso:patience=2"}) {
    const std::string name(text);
    EXPECT_NE(asked(name, landscape, 500), asked(name.substr(0, name.find(':')), landscape, 500)) << name;
  }
}

TEST(StrategyOptions, AreListedWithTheirDefaults) {
  for (const StrategyEntry& entry : strategies())
    for (const OptionInfo& option : entry.options({})) {
      EXPECT_FALSE(option.meaning.empty()) << option.name;
      const Settings written = {{option.name, option.value}};
      EXPECT_EQ(entry.options(written)[0].value, entry.options({})[0].value) << "a default can be written";
    }
}

}  // namespace
}  // namespace tune::search::testing
