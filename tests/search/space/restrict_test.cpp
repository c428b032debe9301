// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>

#include "search/space/search_space.hpp"
#include "search/space/space_definition.hpp"
#include "tests/search/print.hpp"

namespace tune::search {
namespace {

SpaceDefinition restrictable() {
  SpaceDefinition result;
  result.parameters = {{"variant", "", {"direct", "fft"}, "direct"},
                       {"loader", "", {"plain", "async"}, "plain", var("variant") == "direct"},
                       {"block", "", {16, 32, 64}, 16},
                       {"scale", "", {true, 2.0}, true}};
  return result;
}

std::string message_of(std::string_view name, const Value& value) {
  try {
    pin(restrictable(), name, value);
    return "no error";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Pin, KeepsOneValueAndMakesItTheDefault) {
  const SpaceDefinition pinned = pin(restrictable(), "block", 32);
  EXPECT_EQ(pinned.parameters[2].values, std::vector<Value>{32});
  EXPECT_EQ(pinned.parameters[2].default_value, Value(32));
  EXPECT_EQ(SearchSpace(pinned).size(), 6U);
  EXPECT_EQ(SearchSpace(pin(restrictable(), "variant", "fft")).size(), 6U);
}

TEST(Pin, AcceptsNumbersOfAnotherKindAndKeepsTheirs) {
  EXPECT_EQ(pin(restrictable(), "scale", 1).parameters[3].values, std::vector<Value>{true});
  EXPECT_EQ(pin(restrictable(), "scale", 2).parameters[3].values, std::vector<Value>{2.0});
}

TEST(Pin, NamesTheNearestParameterOrTheValues) {
  EXPECT_EQ(message_of("blok", 16), "there is no parameter 'blok' (did you mean 'block'?)");
  EXPECT_EQ(message_of("block", 17), "'17' is no value of block; it takes 16, 32, 64");
  EXPECT_EQ(message_of("block", "16 "), "'16 ' is no value of block; it takes 16, 32, 64");
}

TEST(RestrictTo, AddsAConstraintWithItsText) {
  const SpaceDefinition restricted =
      restrict_to(restrictable(), Expr::parse("loader == async and block < 64"));
  ASSERT_EQ(restricted.constraints.size(), 1U);
  EXPECT_EQ(restricted.constraints[0].reason, "--where loader == async and block < 64");
  const SearchSpace space(restricted);
  EXPECT_EQ(space.size(), 4U);  // 2 blocks x 2 scales; none under fft, where there is no loader
  EXPECT_THROW(restrict_to(restrictable(), Expr::parse("loadr == async")), ExprError);
}

TEST(RestrictTo, KeepsWhatHoldsWithoutTheMissingParameter) {
  const SearchSpace either(restrict_to(restrictable(), Expr::parse("variant == fft or loader == async")));
  EXPECT_EQ(either.size(), 12U);  // 3 blocks x 2 scales under each
  const SearchSpace neither(restrict_to(restrictable(), Expr::parse("not loader == async")));
  EXPECT_EQ(neither.size(), 6U);  // under direct; under fft nothing says that the loader is another
  EXPECT_NE(neither.explain({{"variant", "fft"}, {"block", 16}, {"scale", true}}).find("--where"),
            std::string::npos);
}

}  // namespace
}  // namespace tune::search
