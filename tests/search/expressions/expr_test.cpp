// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/expr.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

using Values = std::map<std::string, Value, std::less<>>;

Lookup in_map(const Values& values) {
  return [&values](std::string_view name) -> const Value* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  };
}

Value evaluate(const std::string& text, const Values& values = {}) {
  return Expr::parse(text).evaluate(in_map(values));
}

Tribool partially(const std::string& text, const Values& values) {
  return Expr::parse(text).partially_evaluate(in_map(values));
}

std::string error_of(const std::string& text, const Values& values = {}) {
  try {
    return "no error, but " + evaluate(text, values).to_string();
  } catch (const ExprError& error) {
    return error.what();
  }
}

struct Case {
  const char* text;
  Value value;
};

/// The values are those of Python 3.
TEST(Expr, ArithmeticIsPythons) {
  const Case cases[] = {
      {"7 // 2", 3},
      {"-7 // 2", -4},
      {"7 // -2", -4},
      {"-7 // -2", 3},
      {"7 % 3", 1},
      {"-7 % 3", 2},
      {"7 % -3", -2},
      {"-7 % -3", -1},
      {"6 % 3", 0},
      {"-6 // 3", -2},
      {"7 / 2", 3.5},
      {"6 / 3", 2.0},
      {"7.5 // 2", 3.0},
      {"-7.5 // 2", -4.0},
      {"-7.5 % 2", 0.5},
      {"7.5 % -2", -0.5},
      {"2 ** 10", 1024},
      {"2 ** -1", 0.5},
      {"-2 ** 2", -4},
      {"(-2) ** 3", -8},
      {"2 ** 3 ** 2", 512},
      {"2.0 ** 3", 8.0},
      {"0 ** 0", 1},
      {"1 + 2.0", 3.0},
      {"true + true", 2},
      {"-true", -1},
      {"abs(-3)", 3},
      {"abs(-0.5)", 0.5},
      {"abs(true)", 1},
      {"min(3, 1, 2)", 1},
      {"max(1, 2.5)", 2.5},
      {"min(1, 1.0)", 1},
      {"max(1.0, 1)", 1.0},
      {"ceil_div(7, 2)", 4},
      {"ceil_div(-7, 2)", -3},
      {"ceil_div(6, 2)", 3},
      {"2 - 3 - 4", -5},
      {"2 * 3 % 4", 2},
      {"1 if 2 > 1 else 0", 1},
      {"10 // 3 * 3", 9},
      {"7 // -1", -7},
      {"7 % -1", 0},
      {"-7 % 1.5", 0.5},
      {"1 - -1", 2},
  };
  for (const auto& [text, value] : cases)
    EXPECT_EQ(evaluate(text), value) << text << " gave " << evaluate(text).to_string();
}

/// The values are those of Python 3.
TEST(Expr, BitsListsAndComprehensionsArePythons) {
  const Case cases[] = {
      {"6 & 3", Value(2)},
      {"6 | 3", Value(7)},
      {"6 ^ 3", Value(5)},
      {"~6", Value(-7)},
      {"-6 & 3", Value(2)},
      {"-6 | 3", Value(-5)},
      {"~-1", Value(0)},
      {"1 << 5", Value(32)},
      {"-5 >> 1", Value(-3)},
      {"-5 << 2", Value(-20)},
      {"5 >> 70", Value(0)},
      {"-5 >> 70", Value(-1)},
      {"1 + 2 << 3", Value(24)},
      {"1 | 2 == 3", Value(true)},
      {"6 & 3 == 3", Value(false)},
      {"1 | 6 & 3 ^ 5", Value(7)},
      {"2 ** ~0", Value(0.5)},
      {"~2 ** 2", Value(-5)},
      {"-~3", Value(4)},
      {"round(2.5)", Value(2)},
      {"round(3.5)", Value(4)},
      {"round(-2.5)", Value(-2)},
      {"round(2.4)", Value(2)},
      {"round(7)", Value(7)},
      {"log2(8)", Value(3.0)},
      {"log2(0.5)", Value(-1.0)},
      {"gcd(12, 18)", Value(6)},
      {"gcd(-12, 18)", Value(6)},
      {"gcd(0, 0)", Value(0)},
      {"gcd(7, 0)", Value(7)},
      {"divmod(7, 2)[0]", Value(3)},
      {"divmod(-7, 2)[1]", Value(1)},
      {"divmod(7.5, 2)[1]", Value(1.5)},
      {"[5, 6, 7][1]", Value(6)},
      {"[5, 6, 7][-1]", Value(7)},
      {"[5, 6, 7][4 - 2]", Value(7)},
      {"(1, 2) in [(3, 4), (1, 2)]", Value(true)},
      {"(1, 2) not in [(1, 2)]", Value(false)},
      {"(1, 2) in [(1, 3), (1, 2, 3)]", Value(false)},
      {"(1, 2) in []", Value(false)},
      {"1 is None", Value(false)},
      {"1 is not None", Value(true)},
      {"2 > 1 is not None", Value(true)},
      {"all([x % 2 == 0 for x in [2, 4]])", Value(true)},
      {"any(x > 3 for x in (1, 2))", Value(false)},
      {"sum([x * x for x in range(4)])", Value(14)},
      {"sum(x for x in range(10, 0, -3))", Value(22)},
      {"max([abs(x) for x in [-5, 3]])", Value(5)},
      {"sum(x for x in [1, 2, 3] if x != 2)", Value(4)},
      {"any(x > 1 for x in [1, 5] if x < 3)", Value(false)},
      {"all([x > 1 for x in [1, 5] if x > 3])", Value(true)},
      {"len([x for x in range(5)])", Value(5)},
      {"min(x + 1 for x in range(3, 5))", Value(4)},
      {"max([x for x in range(9) if x % 4 == 3])", Value(7)},
      {"[5, 6, 7, 8][1:][0]", Value(6)},
      {"[5, 6, 7, 8][::-1][0]", Value(8)},
      {"[5, 6, 7, 8][-3:-1] == [6, 7]", Value(true)},
      {"[5, 6, 7, 8][2:0:-1] == [7, 6]", Value(true)},
      {"[5, 6][9:] == []", Value(true)},
      {"[*range(3), 7] + [8] != [0, 1, 2, 7, 8]", Value(false)},
      {"(1, 2) == (1, 2, 3)", Value(false)},
      {"3 in range(8)[::3]", Value(true)},
      {"max([5, 6][1] + 1, 2)", Value(7)},
      {"prod(range(1, 5))", Value(24)},
      {"len(list(range(4)))", Value(4)},
  };
  for (const auto& [text, value] : cases) {
    EXPECT_EQ(evaluate(text), value) << text << " gave " << evaluate(text).to_string();
    EXPECT_EQ(evaluate(Expr::parse(text).to_string()), value)
        << text << " is " << Expr::parse(text).to_string();
  }
  EXPECT_EQ(evaluate("[5, 6, 7][i] + any(x == i for x in [1, 2])", {{"i", Value(1)}}), Value(7));
  EXPECT_EQ(Expr::parse("(a | b) & c ^ d << 1").to_string(), "(a | b) & c ^ d << 1");
}

TEST(Expr, BitsAndListsSayWhatGoesWrong) {
  EXPECT_EQ(error_of("1.5 & 2"), "'&' needs whole numbers");
  EXPECT_EQ(error_of("~1.5"), "'~' needs whole numbers");
  EXPECT_EQ(error_of("1 << -1"), "'<<' by a negative number");
  EXPECT_NE(error_of("1 << 63").find("64"), std::string::npos) << error_of("1 << 63");
  EXPECT_NE(error_of("1 << 9223372036854775807").find("64"), std::string::npos);
  EXPECT_NE(error_of("gcd(-9223372036854775808, 2)").find("64"), std::string::npos);
  EXPECT_EQ(error_of("log2(0)"), "the logarithm of a number that is not positive");
  EXPECT_NE(error_of("round(1e300)").find("64"), std::string::npos);
  EXPECT_NE(error_of("[1, 2][1 + 1]").find("there is no element 2 of 2"), std::string::npos);
}

TEST(Expr, ComparisonsAreByValue) {
  for (const char* yes : {"1 == 1.0",
                          "true == 1",
                          "0.0 == false",
                          "1 < 1.5",
                          "2 > 1.5",
                          "-1 < -0.5",
                          "\"a\" == 'a'",
                          "'a' != 'b'",
                          "'1' != 1",
                          "1 in [0, 1.0]",
                          "'x' not in ['y', 2]",
                          "3 not in []",
                          "1 < 2 < 3",
                          "3 >= 3 > 2 != 4",
                          "9007199254740993 > 9007199254740992.0",
                          "9223372036854775807 < 9223372036854775808.0",
                          "-9223372036854775808 == -9223372036854775808.0",
                          "2 <= 2",
                          "2.5 >= 2.5",
                          "1.5 > 1"}) {
    EXPECT_EQ(evaluate(yes), Value(true)) << yes;
  }
  for (const char* no : {"1 < 3 < 2", "1 == 2", "'a' == 'b'", "1 in [2, 3]", "2 < 2", "1 != 1.0", "3 < 2.5",
                         "9007199254740993 <= 9007199254740992.0", "1 in []"}) {
    EXPECT_EQ(evaluate(no), Value(false)) << no;
  }
}

TEST(Expr, LogicGivesTruthValuesAndShortCuts) {
  EXPECT_EQ(evaluate("2 and 3"), Value(true));
  EXPECT_EQ(evaluate("0 or ''"), Value(false));
  EXPECT_EQ(evaluate("not 'x'"), Value(false));
  EXPECT_EQ(evaluate("false and 1 // 0 == 1"), Value(false));
  EXPECT_EQ(evaluate("true or nothing"), Value(true));
  EXPECT_EQ(evaluate("1 if true else 1 // 0"), Value(1));
  EXPECT_THROW(evaluate("1 in [1, 1 // 0]"), ExprError);  // a list takes none
}

TEST(Expr, NamesWhatGoesWrong) {
  EXPECT_EQ(error_of("a + 1"), "'a' is not known here");
  for (const char* text : {"1 // 0", "1 % 0", "1 / 0", "1.0 % 0.0", "1.0 // 0", "0 ** -1", "0.0 ** -0.5"}) {
    EXPECT_NE(error_of(text).find("division by zero"), std::string::npos) << text << ": " << error_of(text);
  }
  for (const char* text : {"9223372036854775807 + 1", "-9223372036854775808 - 1", "4611686018427387904 * 2",
                           "-(-9223372036854775808)", "-9223372036854775808 // -1", "2 ** 63", "10 ** 400",
                           "abs(-9223372036854775808)"}) {
    EXPECT_NE(error_of(text).find("beyond 64-bit"), std::string::npos) << text << ": " << error_of(text);
  }
  for (const char* text : {"(2 ** 64 - 2 ** 63) > 0", "2 ** 64 % 3 == 0", "2 ** 64 == 2 ** 64",
                           "2 ** 64 * 0.5 > 0", "2 ** 64 // 4 > 0", "2 ** 64 & 1", "2 ** 64 in [2 ** 64]"}) {
    EXPECT_NE(error_of(text).find("beyond 64-bit"), std::string::npos) << text << ": " << error_of(text);
    EXPECT_EQ(Expr::parse(text).partially_evaluate([](std::string_view) { return nullptr; }),
              Tribool::unknown);
  }
  for (const char* text : {"'a' + 1", "1 < 'a'", "-'a'", "min(1, 'a')", "'a' ** 2"}) {
    EXPECT_NE(error_of(text).find("'a' is a text"), std::string::npos) << text << ": " << error_of(text);
  }
  EXPECT_NE(error_of("1e308 * 10").find("not finite"), std::string::npos);
  EXPECT_NE(error_of("(-2) ** 0.5").find("not real"), std::string::npos);
}

TEST(Expr, ComparesIntegersBeyond64Bits) {
  for (const char* yes :
       {"10 ** 20 > 5", "5 < 10 ** 20", "-10 ** 21 < 10 ** 20", "10 ** 21 > 10 ** 20", "8 << 70 > 0",
        "2 ** 63 != 2 ** 62", "9223372036854775807 + 1 > 9223372036854775807", "2 ** 64 * 0 == 0",
        "2 ** 64 * 2 ** 64 > 2 ** 64", "10 ** 400 > 10 ** 20", "-(2 ** 64) < -9223372036854775808",
        "min(2 ** 64, 3) == 3", "(-3) ** 41 < 0", "2 ** 64 + 1 > 5", "2 ** 64 > 1.5e19",
        "2 ** 64 // 2 ** 0 > 1", "not 2 ** 64 in [1, 2]", "2 ** 64 if 1 else 2",
        "-(-9223372036854775807 - 1) > 0"}) {
    EXPECT_TRUE(Expr::parse("(" + std::string(yes) + ") and True")
                    .evaluate([](std::string_view) { return nullptr; })
                    .as_bool())
        << yes;
  }
}

TEST(Expr, ReachesTheLimitsOfIntegersWithoutError) {
  EXPECT_EQ(evaluate("2 ** 62 - 1 + 2 ** 62"), Value(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(evaluate("(-2) ** 63"), Value(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(evaluate("-9223372036854775808 % -1"), Value(0));
  EXPECT_EQ(evaluate("(-1) ** 9223372036854775807"), Value(-1));
}

TEST(Expr, PartialEvaluationTakesShortCuts) {
  const Values known{{"a", 1}, {"t", "x"}};
  const std::pair<const char*, Tribool> cases[] = {
      {"a == 1", Tribool::yes},
      {"a == 2", Tribool::no},
      {"b == 2", Tribool::unknown},
      {"a == 2 and b", Tribool::no},
      {"b and a == 2", Tribool::no},
      {"b or a", Tribool::yes},
      {"a and b", Tribool::unknown},
      {"not (b and a == 2)", Tribool::yes},
      {"b in []", Tribool::unknown},
      {"a in [b, 1]", Tribool::yes},
      {"a in [b, 2]", Tribool::unknown},
      {"a not in [1, b]", Tribool::no},
      {"a not in [2, 3]", Tribool::yes},
      {"1 if b else 1", Tribool::yes},
      {"1 if b else 0", Tribool::unknown},
      {"b if a == 2 else 0", Tribool::no},
      {"a + b > 0", Tribool::unknown},
      {"min(a, b)", Tribool::unknown},
      {"a // 0", Tribool::unknown},
      {"a // 0 and false", Tribool::no},
      {"t < 1", Tribool::unknown},
      {"t == 'x'", Tribool::yes},
  };
  for (const auto& [text, truth] : cases) EXPECT_EQ(partially(text, known), truth) << text;
}

TEST(Expr, PartialEvaluationDoesNotMixKinds) {
  // 0 and 0.0 are equal, but only one of them keeps the sum an integer.
  const char* text = "9223372036854775807 + (0 if b else 0.0) == 9223372036854775807";
  EXPECT_EQ(evaluate(text, {{"b", true}}), Value(true));
  EXPECT_EQ(evaluate(text, {{"b", false}}), Value(false));
  EXPECT_EQ(partially(text, {}), Tribool::unknown);
}

TEST(Expr, BuildsFromOperators) {
  const Expr built =
      (var("x") * var("y") <= 1024 && !(var("v") == "fft")) || -var("x") % 2 != floor_div(7, var("y"));
  EXPECT_EQ(built.to_string(), "x * y <= 1024 and not v == \"fft\" or -x % 2 != 7 // y");
  EXPECT_EQ((ceil_div(var("x"), 4) + min(1, max(2.5, true)) - 1).to_string(),
            "-(-x // 4) + min(1, max(2.5, true)) - 1");
  EXPECT_EQ(if_else(in(var("x"), {1, "a"}), var("y") / 2, var("y") > 1).to_string(),
            "y / 2 if x in [1, \"a\"] else y > 1");
  EXPECT_EQ((var("x") < 1 || var("x") >= std::int64_t{9}).to_string(), "x < 1 or x >= 9");
}

TEST(Expr, ListsItsVariables) {
  EXPECT_EQ(Expr::parse("a < b < c or a in [d, 'e'] or min(f, 1)").variables(),
            (std::set<std::string>{"a", "b", "c", "d", "f"}));
  EXPECT_TRUE(Expr(1).variables().empty());
}

TEST(Expr, RefusesTreesThatMakeNoSense) {
  EXPECT_THROW(Expr::node(Expr::Op::add, {1}), ExprError);
  EXPECT_THROW(Expr::node(Expr::Op::minimum, {1}), ExprError);
  EXPECT_THROW(Expr::node(Expr::Op::literal, {}), ExprError);
  EXPECT_THROW(Expr::node(Expr::Op::in, {1, 2}), ExprError);
  const Expr list = Expr::node(Expr::Op::list, {1});
  EXPECT_THROW(Expr::node(Expr::Op::add, {list, 1}), ExprError);
  EXPECT_THROW(Expr::node(Expr::Op::in, {list, list}), ExprError);
  EXPECT_THROW(Expr::node(Expr::Op::list, {list}), ExprError);
  for (const char* name : {"", "1a", "a b", "and", "true", "a-b"}) EXPECT_THROW(var(name), ExprError) << name;
  EXPECT_EQ(var("device.warp_size2").name(), "device.warp_size2");
}

TEST(Expr, RefusesTreesThatWouldExhaustTheStackOrTheMemory) {
  Expr chain = var("x");
  EXPECT_THROW(
      {
        for (int i = 0; i < 2'000; ++i) chain = chain + 1;
      },
      ExprError);
  EXPECT_EQ(chain.evaluate(in_map({{"x", 0}})), Value(999));
  Expr doubled = var("x");
  EXPECT_THROW(
      {
        for (int i = 0; i < 100; ++i) doubled = doubled + doubled;
      },
      ExprError);
}

TEST(Expr, NodesTellWhatTheyAre) {
  const Expr sum = var("x") + 2;
  EXPECT_EQ(sum.op(), Expr::Op::add);
  EXPECT_EQ(sum.operands()[0].name(), "x");
  EXPECT_EQ(sum.operands()[1].literal(), Value(2));
  EXPECT_THROW((void)sum.name(), std::logic_error);
  EXPECT_THROW((void)sum.literal(), std::logic_error);
  EXPECT_TRUE(sum.same_as(var("x") + 2));
  EXPECT_FALSE(sum.same_as(var("x") + 2.0));
  EXPECT_FALSE(sum.same_as(var("y") + 2));
  EXPECT_FALSE(sum.same_as(var("x") - 2));
}

bool holds(const std::string& text) {
  return Expr::parse(text).evaluate([](std::string_view) { return nullptr; }).as_bool();
}

TEST(Expr, RangesArePythons) {
  EXPECT_TRUE(holds("10 in range(10, 0, -1)"));
  EXPECT_TRUE(holds("1 in range(10, 0, -1)"));
  EXPECT_FALSE(holds("0 in range(10, 0, -1)"));
  EXPECT_TRUE(holds("4 in range(10, 0, -3)"));
  EXPECT_FALSE(holds("5 in range(10, 0, -3)"));
  EXPECT_FALSE(holds("0.5 in range(0, 4)"));
  EXPECT_FALSE(holds("0.5 in range(4)"));
  EXPECT_TRUE(holds("2.0 in range(4)"));
  EXPECT_TRUE(holds("3 not in range(0, 4, 2)"));
  EXPECT_FALSE(holds("5 in range(10, 0)"));
  EXPECT_THROW(Expr::parse("1 in range(0, 4, 0)"), ExprError);
  const Value down(-2), up(2);
  const auto with_step = [&](const Value& step, const char* text) {
    return Expr::parse(text).evaluate([&](std::string_view) { return &step; }).as_bool();
  };
  EXPECT_TRUE(with_step(down, "8 in range(10, 0, s)"));
  EXPECT_FALSE(with_step(up, "8 in range(10, 0, s)"));
  EXPECT_TRUE(with_step(up, "8 in range(0, 10, s)"));
}

TEST(Expr, OrAndAndGiveTheOperandThatDecidesWhereItsValueCounts) {
  const auto value_of = [](const char* text, std::int64_t a) {
    const Value value(a);
    return Expr::parse(text).evaluate([&](std::string_view) { return &value; });
  };
  EXPECT_EQ(value_of("(a or 1) * 4", 3), Value(12));
  EXPECT_EQ(value_of("(a or 1) * 4", 0), Value(4));
  EXPECT_EQ(value_of("(a and 7) + 1", 3), Value(8));
  EXPECT_EQ(value_of("(a and 7) + 1", 0), Value(1));
  EXPECT_EQ(value_of("max(a or 2, 1)", 0), Value(2));
  EXPECT_EQ(value_of("(0 or a or 5) == 5", 0), Value(true));
  EXPECT_EQ(value_of("(a > 1 or a < 0) + 1", 3), Value(2)) << "truth values stay as they are";
  const Expr twice = Expr::parse("(a or 1) * 4");
  EXPECT_TRUE(Expr::parse(twice.to_string()).same_as(twice));
  EXPECT_EQ(Expr::parse("a == 1 or b").to_string(), "a == 1 or b") << "the truth of a whole rule is enough";
}

}  // namespace
}  // namespace tune::search
