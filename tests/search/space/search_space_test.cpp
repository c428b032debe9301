// SPDX-License-Identifier: Apache-2.0
#include "search/space/search_space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

/// Two variants, of which one has a loader and the loader a depth.
SpaceDefinition sample() {
  SpaceDefinition definition;
  definition.parameters = {
      {"variant", "", {"direct", "tiled"}, "direct"},
      {"block_x", "", {16, 32, 64}, 32},
      {"loader", "", {"plain", "async"}, "plain", var("variant") == "tiled"},
      {"depth", "", {2, 3}, 2, var("loader") == "async"},
      {"block_y", "", {1, 2, 4}, 1},
  };
  definition.constraints = {
      {var("block_x") * var("block_y") <= var("max_threads"), "too many threads in a block"},
      {var("depth") * var("block_x") <= 96, "the buffers do not fit"}};
  definition.constants = {{"max_threads", 128}};
  return definition;
}

std::string parameter_name(int p) {
  std::string name = "p";
  return name += std::to_string(p);
}

std::string refusal_of(const std::function<void(SpaceDefinition&)>& change) {
  SpaceDefinition definition = sample();
  change(definition);
  try {
    SearchSpace space(definition);
    return "no error";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::vector<std::string> all(const SearchSpace& space) {
  std::vector<std::string> texts;
  for (ConfigurationId id = 0; id < space.size(); ++id) texts.push_back(space.at(id).to_string());
  return texts;
}

TEST(SearchSpace, HoldsTheValidConfigurationsInLexicalOrder) {
  SpaceDefinition definition = sample();
  definition.parameters[1].values = {64, 32};
  EXPECT_EQ(all(SearchSpace(definition)), (std::vector<std::string>{
                                              "variant=direct, block_x=64, block_y=1",
                                              "variant=direct, block_x=64, block_y=2",
                                              "variant=direct, block_x=32, block_y=1",
                                              "variant=direct, block_x=32, block_y=2",
                                              "variant=direct, block_x=32, block_y=4",
                                              "variant=tiled, block_x=64, loader=plain, block_y=1",
                                              "variant=tiled, block_x=64, loader=plain, block_y=2",
                                              "variant=tiled, block_x=32, loader=plain, block_y=1",
                                              "variant=tiled, block_x=32, loader=plain, block_y=2",
                                              "variant=tiled, block_x=32, loader=plain, block_y=4",
                                              "variant=tiled, block_x=32, loader=async, depth=2, block_y=1",
                                              "variant=tiled, block_x=32, loader=async, depth=2, block_y=2",
                                              "variant=tiled, block_x=32, loader=async, depth=2, block_y=4",
                                              "variant=tiled, block_x=32, loader=async, depth=3, block_y=1",
                                              "variant=tiled, block_x=32, loader=async, depth=3, block_y=2",
                                              "variant=tiled, block_x=32, loader=async, depth=3, block_y=4",
                                          }));
}

TEST(SearchSpace, CountsProductAndValid) {
  const SearchSpace space(sample());
  EXPECT_EQ(space.product_size(), 2 * 3 * 2 * 2 * 3.0);
  EXPECT_EQ(space.size(), 8U + 8U + 3U * 2U + 3U * 2U);
  EXPECT_FALSE(space.empty());
}

TEST(SearchSpace, FindsOnlyWhatIsExactlyThere) {
  const SearchSpace space(sample());
  const auto found = [&space](const char* text) { return space.find(Configuration::parse(text)); };
  EXPECT_EQ(found("variant=direct,block_x=16,block_y=1"), 0U);
  EXPECT_EQ(found("block_y=2,block_x=16,variant=direct"), 1U);
  EXPECT_EQ(found("variant=direct,block_x=16"), std::nullopt);
  EXPECT_EQ(found("variant=direct,block_x=16,block_y=3"), std::nullopt);
  EXPECT_EQ(found("variant=direct,block_x=16.0,block_y=1"), std::nullopt);
  EXPECT_EQ(found("variant=direct,block_x=64,block_y=4"), std::nullopt);
  EXPECT_EQ(found("variant=direct,block_x=16,block_y=1,loader=plain"), std::nullopt);
  EXPECT_EQ(found("variant=direct,block_x=16,block_y=1,other=1"), std::nullopt);
  EXPECT_EQ(found(""), std::nullopt);
}

TEST(SearchSpace, ExplainsWhatIsWrong) {
  const SearchSpace space(sample());
  const auto reason = [&space](const char* text) { return space.explain(Configuration::parse(text)); };
  EXPECT_EQ(reason("variant=direct,block_x=16,block_y=1"), "");
  EXPECT_EQ(reason("variant=direct,block_x=16"), "block_y is missing");
  EXPECT_EQ(reason("variant=direct,block_x=48,block_y=1"), "block_x cannot be 48; it takes 16, 32, 64");
  EXPECT_EQ(reason("variant=direct,block_x=64,block_y=4"),
            "too many threads in a block (broken: block_x * block_y <= max_threads)");
  EXPECT_EQ(reason("variant=direct,block_x=16,block_y=1,loader=plain"),
            "loader exists only where variant == \"tiled\"");
  EXPECT_EQ(reason("variant=tiled,block_x=16,block_y=1"), "loader is missing");
  EXPECT_EQ(reason("variant=direct,blok_x=16,block_y=1"),
            "'blok_x' is not a parameter (did you mean 'block_x'?)");
  EXPECT_EQ(reason("variant=tiled,block_x=64,loader=async,depth=2,block_y=1"),
            "the buffers do not fit (broken: depth * block_x <= 96)");
}

TEST(SearchSpace, ExplainsByTheFirstConstraintThatAppliesAndIsBroken) {
  SpaceDefinition definition = sample();
  std::swap(definition.constraints[0], definition.constraints[1]);  // there is no depth here
  definition.constraints.push_back({var("block_y") < 3, ""});
  const SearchSpace space(definition);
  EXPECT_EQ(space.explain(Configuration::parse("variant=direct,block_x=64,block_y=4")),
            "too many threads in a block (broken: block_x * block_y <= max_threads)");
  EXPECT_EQ(space.explain(Configuration::parse("variant=direct,block_x=32,block_y=4")),
            "broken: block_y < 3");
}

TEST(SearchSpace, GivesIndicesForModels) {
  const SearchSpace space(sample());
  const auto indices = [&space](const char* text) {
    return space.value_indices(space.find(Configuration::parse(text)).value());
  };
  EXPECT_EQ(indices("variant=direct,block_x=64,block_y=2"), (std::vector<int>{0, 2, -1, -1, 1}));
  EXPECT_EQ(indices("variant=tiled,block_x=16,loader=async,depth=3,block_y=4"),
            (std::vector<int>{1, 0, 1, 1, 2}));
  EXPECT_THROW((void)space.value_indices(space.size()), std::out_of_range);
  EXPECT_THROW((void)space.at(space.size()), std::out_of_range);
  EXPECT_THROW((void)space.neighbours(space.size()), std::out_of_range);
}

TEST(SearchSpace, DefaultIsValidAndNearTheDefaults) {
  SpaceDefinition definition = sample();
  const auto standard = [&definition] {
    const SearchSpace space(definition);
    return space.at(space.default_configuration().value()).to_string();
  };
  EXPECT_EQ(standard(), "variant=direct, block_x=32, block_y=1");
  definition.parameters[0].default_value = "tiled";
  definition.parameters[2].default_value = "async";
  EXPECT_EQ(standard(), "variant=tiled, block_x=32, loader=async, depth=2, block_y=1");
  definition.parameters[1].default_value = 64;
  definition.parameters[4].default_value = 4;
  // 64 x 4 is too many; the first of those that differ in one parameter.
  definition.parameters[0].default_value = "direct";
  EXPECT_EQ(standard(), "variant=direct, block_x=16, block_y=4");
  definition.constraints.push_back({Expr(false), "never"});
  EXPECT_EQ(SearchSpace(definition).default_configuration(), std::nullopt);
}

TEST(SearchSpace, FarFromTheDefaultsItLooksEverywhere) {
  // All defaults are 0, and only configurations with at least 15 others of 20 are valid: too far for the
  // walk.
  SpaceDefinition definition;
  Expr sum = 0;
  for (int p = 0; p < 20; ++p) {
    definition.parameters.push_back({parameter_name(p), "", {0, 1}, 0});
    sum = sum + var(parameter_name(p));
  }
  definition.constraints = {{sum >= 15, ""}};
  const SearchSpace space(definition);
  EXPECT_EQ(space.size(), 15'504U + 4'845U + 1'140U + 190U + 20U + 1U);
  EXPECT_EQ(space.default_configuration(), 0U);
  std::vector<int> first(20, 1);
  std::fill_n(first.begin(), 5, 0);
  EXPECT_EQ(space.value_indices(0), first);
}

TEST(SearchSpace, SamplesUniformly) {
  const SearchSpace space(sample());
  Random random(7);
  std::vector<int> seen(space.size());
  for (int i = 0; i < 28'000; ++i) ++seen.at(space.sample(random));
  for (const int count : seen) EXPECT_NEAR(count, 1'000, 160);
}

TEST(SearchSpace, MayHaveNoParametersOrNoConfigurations) {
  const SearchSpace nothing{SpaceDefinition{}};
  EXPECT_EQ(nothing.size(), 1U);
  EXPECT_EQ(nothing.find(Configuration()), 0U);
  EXPECT_EQ(nothing.product_size(), 1.0);
  EXPECT_TRUE(nothing.neighbours(0).empty());
  SpaceDefinition definition = sample();
  definition.constants["max_threads"] = 1;
  const SearchSpace empty(definition);
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.find(Configuration()), std::nullopt);
}

TEST(SearchSpace, OutlivesTheDefinitionAndIsCopyable) {
  auto original = std::make_unique<SearchSpace>(sample());
  const SearchSpace copy = *original;
  const auto expected = all(*original);
  original.reset();
  EXPECT_EQ(all(copy), expected);
  EXPECT_EQ(copy.neighbours(0).size(), 5U);
}

TEST(SearchSpace, RefusesWrongDefinitions) {
  EXPECT_EQ(refusal_of([](auto& d) { d.parameters[1].name = "variant"; }),
            "parameter 'variant' is named like another parameter or a constant");
  EXPECT_EQ(refusal_of([](auto& d) { d.parameters[1].name = "max_threads"; }),
            "parameter 'max_threads' is named like another parameter or a constant");
  EXPECT_EQ(
      refusal_of([](auto& d) { d.parameters[1].name = "block x"; }),
      "parameter 'block x' cannot have that name: use letters, digits and '_', no digit first, and no word "
      "such as 'and'");
  EXPECT_EQ(refusal_of([](auto& d) { d.parameters[1].values.clear(); }), "parameter 'block_x' has no values");
  EXPECT_EQ(refusal_of([](auto& d) { d.parameters[1].values.push_back(16); }),
            "parameter 'block_x' has the value '16' twice");
  EXPECT_EQ(refusal_of([](auto& d) { d.parameters[1].default_value = 48; }),
            "parameter 'block_x' has the default '48', which is not one of 16, 32, 64");
  for (const char* value : {"a,b", "1", "true", " a", "a ", "0.5"}) {
    EXPECT_EQ(refusal_of([value](auto& d) { d.parameters[2].values.push_back(value); }),
              "parameter 'loader' has the value '" + std::string(value) +
                  "', which would read back as something else");
  }
  EXPECT_EQ(refusal_of([](auto& d) { d.parameters[0].exists_if = var("block_x") > 1; }),
            "the condition of 'variant' mentions 'block_x', which is declared later");
  EXPECT_EQ(refusal_of([](auto& d) { d.parameters[1].exists_if = var("block_x") > 1; }),
            "the condition of 'block_x' mentions 'block_x', which is declared later");
  EXPECT_EQ(refusal_of([](auto& d) { d.parameters[2].exists_if = var("varaint") == "tiled"; }),
            "the condition of 'loader' mentions 'varaint', which is neither a parameter nor a constant (did "
            "you mean "
            "'variant'?)");
  EXPECT_EQ(
      refusal_of([](auto& d) { d.constraints[0].rule = var("block_z") > 1; }),
      "the constraint 'block_z > 1' mentions 'block_z', which is neither a parameter nor a constant (did you "
      "mean 'block_x'?)");
}

TEST(SearchSpace, NamesTheConstraintAndTheAssignmentThatFail) {
  EXPECT_EQ(
      refusal_of(
          [](auto& d) { d.constraints[0].rule = Expr::parse("block_x // (block_y - 2) < max_threads"); }),
      "constraint 'block_x // (block_y - 2) < max_threads' at (block_x=16, block_y=2, max_threads=128): "
      "division by zero in '//'");
  EXPECT_EQ(refusal_of([](auto& d) { d.parameters[2].exists_if = var("variant") > 2; }),
            "the condition of parameter 'loader', 'variant > 2': 'direct' is a text, but '>' needs numbers");
}

TEST(SearchSpace, AFailureThatAShortCutAvoidsIsNone) {
  // The condition for block_x alone cannot be evaluated at block_x = 16, the rule itself can.
  EXPECT_EQ(refusal_of([](auto& d) {
              d.constraints[0].rule =
                  Expr::parse("(1 // (block_x - 16) >= 0 if block_y > 4 else true) and block_x > 0");
            }),
            "no error");
  EXPECT_EQ(refusal_of([](auto& d) {
              d.constraints[0].rule = Expr::parse("not (block_y > 4 and block_x // (block_x - 16) > 2)");
            }),
            "no error");
}

TEST(SearchSpace, LeavesBranchesEarly) {
  // 8^20 assignments: only pruning at the first parameters can finish.
  SpaceDefinition definition;
  for (int p = 0; p < 20; ++p) {
    definition.parameters.push_back({parameter_name(p), "", {0, 1, 2, 3, 4, 5, 6, 7}, 0});
  }
  Expr rule = var("p0") == 3;
  for (int p = 1; p < 20; ++p) rule = rule && var(parameter_name(p)) == p % 8;
  definition.constraints = {{rule, ""}};
  EXPECT_EQ(SearchSpace(definition).size(), 1U);
}

TEST(SearchSpace, LeavesBranchesEarlyUnderConditions) {
  // As above with parameters that exist only under one variant: that is known after the first parameter.
  SpaceDefinition definition;
  definition.parameters.push_back({"variant", "", {"a", "b"}, "a"});
  Expr rule = true;
  for (int p = 1; p < 20; ++p) {
    const std::string name = parameter_name(p);
    definition.parameters.push_back({name, "", {0, 1, 2, 3, 4, 5, 6, 7}, 0, var("variant") == "b"});
    rule = rule && var(name) == p % 8;
  }
  definition.constraints = {{rule, ""}};
  EXPECT_EQ(SearchSpace(definition).size(), 2U);
}

TEST(SearchSpace, AConditionOverWhatDoesNotExistDoesNotHold) {
  SpaceDefinition definition;
  definition.parameters = {{"a", "", {1, 2}, 1},
                           {"b", "", {1, 2}, 1, var("a") == 1},
                           {"c", "", {1, 2}, 1, var("b") != 1},
                           {"d", "", {1, 2}, 1, var("b") == 5 || var("a") == 2}};
  EXPECT_EQ(all(SearchSpace(definition)),
            (std::vector<std::string>{"a=1, b=1", "a=1, b=2, c=1", "a=1, b=2, c=2", "a=2, d=1", "a=2, d=2"}));
}

/// A published space (CLTune's GEMM, as in the T1 collection): its numbers of products and of valid
/// configurations.
TEST(SearchSpace, ReproducesAPublishedSpace) {
  SpaceDefinition definition;
  const auto add = [&definition](const char* name, std::vector<Value> values) {
    definition.parameters.push_back({name, "", values, values.front()});
  };
  for (const char* name : {"mwg", "nwg"}) add(name, {16, 32, 64, 128});
  add("kwg", {16, 32});
  for (const char* name : {"mdimc", "ndimc", "mdima", "ndimb"}) add(name, {8, 16, 32});
  add("kwi", {2});
  for (const char* name : {"vwm", "vwn"}) add(name, {1, 2, 4, 8});
  for (const char* name : {"strm", "strn", "sa", "sb"}) add(name, {0, 1});
  for (const char* rule : {"kwg % kwi == 0", "mwg % (mdimc * vwm) == 0", "nwg % (ndimc * vwn) == 0",
                           "mwg % (mdima * vwm) == 0", "nwg % (ndimb * vwn) == 0",
                           "kwg % ((mdimc * ndimc) / mdima) == 0", "kwg % ((mdimc * ndimc) / ndimb) == 0",
                           "not (mwg == 128 and nwg == 128 and mdimc == 8 and ndimc == 8)"}) {
    definition.constraints.push_back({Expr::parse(rule), ""});
  }
  const SearchSpace space(definition);
  EXPECT_EQ(space.product_size(), 663'552.0);
  EXPECT_EQ(space.size(), 116'928U);
}

}  // namespace
}  // namespace tune::search
