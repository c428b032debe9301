// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "search/space/space_definition.hpp"
#include "tests/search/print.hpp"

namespace tune::search {
namespace {

SpaceDefinition named_definition() {
  SpaceDefinition result;
  result.parameters = {{"variant", "", {"direct", "fft"}, "direct"},
                       {"loader", "", {"plain", "async", "variant"}, "plain", var("variant") == "direct"},
                       {"block", "", {16, 32}, 16}};
  result.constants = {{"size", 64}};
  return result;
}

std::string bound(const char* text) {
  return bind_names(Expr::parse(text), named_definition()).to_string();
}

TEST(BindNames, TurnsBareValuesIntoTexts) {
  EXPECT_EQ(bound("loader == async and block < size"), "loader == \"async\" and block < size");
  EXPECT_EQ(bound("variant in [direct, 'fft']"), "variant in [\"direct\", \"fft\"]");
  EXPECT_EQ(bound("1 < min(block, 2)"), "1 < min(block, 2)");
}

TEST(BindNames, ANameOfAParameterStaysOne) {
  EXPECT_EQ(bound("block == size and variant == block"), "block == size and variant == block");
  EXPECT_EQ(bound("variant == loader and variant != fft"), "\"variant\" == loader and variant != \"fft\"");
}

TEST(BindNames, AValueOfTheComparedParameterComesFirst) {
  EXPECT_EQ(bound("loader == variant"), "loader == \"variant\"");
  EXPECT_EQ(bound("not (loader not in [variant, plain])"), "not loader not in [\"variant\", \"plain\"]");
  EXPECT_EQ(bound("loader == variant if variant == direct else block > 16"),
            "loader == \"variant\" if variant == \"direct\" else block > 16");
}

TEST(BindNames, NamesTheNearest) {
  try {
    bound("loader == asink");
    FAIL();
  } catch (const ExprError& error) {
    EXPECT_STREQ(
        error.what(),
        "'asink' is neither a parameter, a constant nor a value of a parameter (did you mean 'async'?)");
  }
  EXPECT_THROW(bound("nowhere > 1"), ExprError);
}

TEST(BindNames, ListsParametersAndConstants) {
  EXPECT_EQ(known_names(named_definition()),
            (std::vector<std::string>{"variant", "loader", "block", "size"}));
}

}  // namespace
}  // namespace tune::search
