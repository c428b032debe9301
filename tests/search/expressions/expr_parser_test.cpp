// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "search/expressions/expr.hpp"
#include "tests/search/print.hpp"

namespace tune::search {
namespace {

std::string reprint(const std::string& text) {
  return Expr::parse(text).to_string();
}

TEST(ExprParser, PrintsWithTheFewestParentheses) {
  const std::pair<const char*, const char*> cases[] = {
      {"((a + b)) * (c)", "(a + b) * c"},
      {"(a * b) + c", "a * b + c"},
      {"a - (b - c)", "a - (b - c)"},
      {"(a - b) - c", "a - b - c"},
      {"a / (b * c)", "a / (b * c)"},
      {"(a // b) % c", "a // b % c"},
      {"(a ** b) ** c", "(a ** b) ** c"},
      {"a ** (b ** c)", "a ** b ** c"},
      {"a ** (-b)", "a ** -b"},
      {"(-a) ** b", "(-a) ** b"},
      {"-(a ** b)", "-a ** b"},
      {"-(a * b)", "-(a * b)"},
      {"(-a) * b", "-a * b"},
      {"- 5", "-5"},
      {"-(5)", "-(5)"},
      {"--5", "--5"},
      {"(-5) ** 2", "(-5) ** 2"},
      {"-5 ** 2", "-5 ** 2"},
      {"3 - -5", "3 - -5"},
      {"not (not a)", "not not a"},
      {"not (a == b)", "not a == b"},
      {"(not a) == b", "(not a) == b"},
      {"(a or b) and c", "(a or b) and c"},
      {"a or (b and c)", "a or b and c"},
      {"a or (b or c)", "a or (b or c)"},
      {"(a < b) < c", "(a < b) < c"},
      {"a < b < c", "a < b and b < c"},
      {"1 <= x in [1, 2] ", "1 <= x and x in [1, 2]"},
      {"(a if b else c) if d else (e if f else g)", "(a if b else c) if d else e if f else g"},
      {"(a if b else c) + 1", "(a if b else c) + 1"},
      {"a if (b or c) else d", "a if b or c else d"},
      {"min(a, (b + 1), max(c, d))", "min(a, b + 1, max(c, d))"},
      {"abs((a))", "abs(a)"},
      {"ceil_div(a + 1, b)", "-(-(a + 1) // b)"},
      {"x not in [(1), 'a', -2.50]", "x not in [1, \"a\", -2.5]"},
      {"x in []", "x in []"},
      {"a && b || !c", "a and b or not c"},
      {"! a == b", "not a == b"},
      {"True == true and False != false", "true == true and false != false"},
      {"\"it's\" != 'say \"hi\"'", "\"it's\" != \"say \\\"hi\\\"\""},
      {R"('a\\b\n\'')", R"("a\\b\n'")"},
      {".5 + 5. + 1e3 + 2E-2", "0.5 + 5.0 + 1000.0 + 0.02"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"min + max", "min + max"},
      {"a\t<\n b", "a < b"},
      {"size.x >= 3", "size.x >= 3"},
      {"math.exp((a)) + round(b, 1)", "exp(a) + round(b, 1)"},
      {"lcm(a, 3, b) == 0x10", "lcm(a, 3, b) == 16"},
      {"a < math.inf", "a < math.inf"},
      {"notable or android", "notable or android"},
  };
  for (const auto& [text, printed] : cases) {
    EXPECT_EQ(reprint(text), printed) << text;
    EXPECT_TRUE(Expr::parse(printed).same_as(Expr::parse(text))) << text;
  }
}

struct Mistake {
  const char* text;
  std::size_t column;
  const char* message;
};

TEST(ExprParser, NamesTheColumnAndWhatWasExpected) {
  const Mistake mistakes[] = {
      {"", 1, "expected a value, found the end"},
      {"a +", 4, "expected a value, found the end"},
      {"a b", 3, "expected an operator or the end, found 'b'"},
      {"(a + 1", 7, "expected ',' or ')', found the end"},
      {"a + )", 5, "expected a value, found ')'"},
      {"a = 1", 3, "expected '==', found '='"},
      {"a &", 4, "expected a value, found the end"},
      {"a == 'x", 6, "the text has no closing '"},
      {"a $ b", 3, "'$' does not belong in an expression"},
      {"3x < 1", 1, "the number '3' runs into 'x'"},
      {"1.2.3", 1, "the number '1.2' runs into '.'"},
      {"a in 3", 3, "expected a list, found a number"},
      {"a in [1, 2", 11, "expected ',' or ']', found the end"},
      {"a in [1,,]", 9, "expected a value, found ','"},
      {"a in [1, 2][::0]", 12, "the step of a slice cannot be 0"},
      {"a in [1, 2][:a]", 12, "expected a whole number that does not depend on parameters, found 'a'"},
      {"[1] < a", 5, "cannot compare a list with 'a'"},
      {"(a, b) < c", 8, "cannot compare a list with 'c'"},
      {"[a, b]", 1, "expected a condition, found a list"},
      {"1 + [a]", 3, "expected a single value, found a list"},
      {"len(a)", 1, "'len' takes a list"},
      {"a is b", 6, "expected 'None' behind 'is', found 'b'"},
      {"divmod(a, 2)", 1, "expected a condition, found a list"},
      {"divmod(a, 2)[2]", 13, "there is no element 2 of 2"},
      {"any(x for x in a)", 16, "expected a list, found 'a'"},
      {"sum(x for x in range(a))", 16, "a list cannot depend on parameters in its length"},
      {"sum(x for x in range(2000))", 16, "a range of more than 1000 numbers"},
      {"max(x for x in [1, 2] if x > a)", 1,
       "expected a single value, found a value that a comprehension leaves out for some parameters: its 'if' over "
       "parameters can only stand in any, all, len, prod, set and sum"},
      {"a if b", 7, "expected 'else', found the end"},
      {"1 + not a", 5, "expected a value (put 'not ...' in parentheses here), found 'not'"},
      {"sinh(2)", 1,
       "there is no function 'sinh'; there are abs, acos, all, any, arange, array, asin, atan, atan2, bool, cbrt, "
       "ceil, ceil_div, comb, copysign, cos, divmod, enumerate, exp, factorial, float, floor, fmod, gcd, hypot, int, "
       "isqrt, lcm, len, list, log, log10, log2, max, min, pow, prod, range, reversed, round, set, sin, sorted, sqrt, "
       "sum, tan, tanh, trunc, tuple, zip"},
      {"exp(1, 2)", 1, "'exp' does not take 2 operands"},
      {"sorted([a, 1])[0] == 1", 1, "'sorted' takes no values that depend on parameters"},
      {"0x1g", 1, "the number '0x1' runs into 'g'"},
      {"1 < min(2)", 5, "'min' does not take 1 operands"},
      {"abs(1, 2)", 1, "'abs' does not take 2 operands"},
      {"ceil_div(1)", 1, "'ceil_div' does not take 1 operands"},
      {"9223372036854775808", 1, "'9223372036854775808' is beyond 64-bit integers"},
      {"1 < 1e999", 5, "'1e999' is beyond real numbers"},
      {"'a\\q'", 3, "expected one of \\\\ \\\" \\' \\n after a backslash"},
      {"and", 1, "expected a value, found 'and'"},
      {"a not b", 3, "expected an operator or the end, found 'not'"},
      {"a == 'b' 'c'", 10, "expected an operator or the end, found the text 'c'"},
  };
  for (const auto& [text, column, message] : mistakes) {
    try {
      Expr::parse(text);
      ADD_FAILURE() << "no error for " << text;
    } catch (const ExprError& error) {
      EXPECT_EQ(error.column(), column) << text;
      EXPECT_EQ(error.what(), "column " + std::to_string(column) + ": " + message) << text;
    }
  }
}

TEST(ExprParser, DeepNestingIsAnErrorAndNoCrash) {
  const std::string openings[] = {"(", "-", "not ", "2 ** ", "abs(", "1 if 1 else ", "1 in [", "1 < (1 < "};
  for (const std::string& opening : openings) {
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += opening;
    try {
      Expr::parse(text + "1");
      ADD_FAILURE() << "no error for " << opening;
    } catch (const ExprError& error) {
      EXPECT_NE(std::string(error.what()).find("nested more than 200 deep"), std::string::npos)
          << error.what();
    }
  }
  std::string closed = std::string(150, '(') + "1" + std::string(150, ')');
  EXPECT_EQ(reprint(closed), "1");
}

TEST(ExprParser, LongChainsAreAnErrorAndNoCrash) {
  std::string text = "a";
  for (int i = 0; i < 100'000; ++i) text += " + a";
  try {
    Expr::parse(text);
    FAIL();
  } catch (const ExprError& error) {
    EXPECT_NE(std::string(error.what()).find("deeper than 1000"), std::string::npos) << error.what();
    EXPECT_GT(error.column(), 1'000U);
  }
}

}  // namespace
}  // namespace tune::search
