// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/directives.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tune {
namespace {

TEST(Directives, HaveANameAWordAndARest) {
  const auto found = directive_of("  #\t define  BLOCK 64 // threads\r");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "define");
  EXPECT_EQ(found->word, "BLOCK");
  EXPECT_EQ(found->rest, "BLOCK 64 // threads");
  EXPECT_EQ(directive_of("#endif")->name, "endif");
  EXPECT_EQ(directive_of("#endif")->word, "");
  EXPECT_EQ(directive_of("#")->name, "");
  EXPECT_FALSE(directive_of("x = 1; // #define A"));
  EXPECT_FALSE(directive_of(""));
}

TEST(Directives, NameTheFilesThatTheyInclude) {
  EXPECT_EQ(included_name("\"a b.h\" // text"), "a b.h");
  EXPECT_EQ(included_name("<cuda/pipeline>"), "cuda/pipeline");
  EXPECT_EQ(included_name("\"a.h>"), "");
  EXPECT_EQ(included_name("MACRO"), "");
  EXPECT_EQ(included_name(""), "");
}

TEST(Directives, TextsInParts) {
  std::string_view text = "one\n\ntwo";
  EXPECT_EQ(next_line(text), "one");
  EXPECT_EQ(next_line(text), "");
  EXPECT_EQ(next_line(text), "two");
  EXPECT_EQ(text, "");
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(leading_word("a_1-b"), "a_1");
  EXPECT_EQ(leading_word("-b"), "");
}

}  // namespace
}  // namespace tune
