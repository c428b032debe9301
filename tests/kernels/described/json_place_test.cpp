// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/described/readers/json_field.hpp"

namespace tune::described {
namespace {

const std::string text = R"({
  "a": [1, {"x": "}],\"{"},
        2],
  // "b": a comment with { and "
  "b": /* one
  more */ {"c": true,
           "d": [-1.5e3,
                 "e"]}
})";

TEST(JsonPlace, FindsLinesOfValues) {
  const auto member = JsonStep::member;
  const auto element = JsonStep::element;
  EXPECT_EQ(line_of(text, {}), 1);
  EXPECT_EQ(line_of(text, {member("a")}), 2);
  EXPECT_EQ(line_of(text, {member("a"), element(1), member("x")}), 2);
  EXPECT_EQ(line_of(text, {member("a"), element(2)}), 3);
  EXPECT_EQ(line_of(text, {member("b")}), 6);
  EXPECT_EQ(line_of(text, {member("b"), member("d"), element(0)}), 7);
  EXPECT_EQ(line_of(text, {member("b"), member("d"), element(1)}), 8);
}

TEST(JsonPlace, StopsAtTheLastStepThatIsThere) {
  EXPECT_EQ(line_of(text, {JsonStep::member("b"), JsonStep::member("z"), JsonStep::element(3)}), 6);
  EXPECT_EQ(line_of(text, {JsonStep::member("a"), JsonStep::element(9)}), 2);
}

TEST(JsonPlace, PrintsPaths) {
  EXPECT_EQ(to_string({JsonStep::member("Kernel"), JsonStep::member("Arguments"), JsonStep::element(2),
                       JsonStep::member("Size")}),
            "Kernel.Arguments[2].Size");
}

}  // namespace
}  // namespace tune::described
