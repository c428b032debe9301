// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/rewrite.hpp"

#include <gtest/gtest.h>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

std::string follows(const char* rule, const std::set<std::string>& known) {
  const auto condition = implied_by(Expr::parse(rule), known);
  return condition ? condition->to_string() : "nothing";
}

TEST(ImpliedBy, FindsWhatFollowsForTheKnown) {
  EXPECT_EQ(follows("a < 4 and b < a", {"a"}), "a < 4");
  EXPECT_EQ(follows("b < a and a < 4", {"a"}), "a < 4");
  EXPECT_EQ(follows("a < 4 and b < a and c", {"a", "b"}), "a < 4 and b < a");
  EXPECT_EQ(follows("a < 4 or b < a", {"a"}), "nothing");
  EXPECT_EQ(follows("a and b or not a and c", {"a"}), "a or not a");
  EXPECT_EQ(follows("not (a == 1 or b == 2)", {"a"}), "not a == 1");
  EXPECT_EQ(follows("not (a == 1 and b == 2)", {"a"}), "nothing");
  EXPECT_EQ(follows("not (a and b and c == 1)", {"a", "b"}), "nothing");
  EXPECT_EQ(follows("b > 1 if a else a > 5", {"a"}), "true if a else a > 5");
  EXPECT_EQ(follows("a > 1 if b else a > 5", {"a"}), "a > 1 or a > 5");
  EXPECT_EQ(follows("b if a else c", {"a"}), "nothing");
  EXPECT_EQ(follows("a + b < 3", {"a"}), "nothing");
  EXPECT_EQ(follows("a < 3", {"a", "b"}), "a < 3");
  EXPECT_EQ(follows("1 > 2 and b", {}), "1 > 2");
  EXPECT_EQ(follows("a not in [b, 1, 2]", {"a"}), "a != 1 and a != 2");
  EXPECT_EQ(follows("not (a in [b, 1])", {"a"}), "a != 1");
  EXPECT_EQ(follows("a in [b, 1]", {"a"}), "nothing");
  EXPECT_EQ(follows("not (a not in [b, 1])", {"a"}), "nothing");
}

TEST(ReplaceVariables, PutsLiterals) {
  const std::map<std::string, Value, std::less<>> constants{{"limit", 1024}, {"loader", "async"}};
  const Expr expr = Expr::parse("x * y <= limit and z in [limit, loader]");
  EXPECT_EQ(replace_variables(expr, constants).to_string(), "x * y <= 1024 and z in [1024, \"async\"]");
}

}  // namespace
}  // namespace tune::search
