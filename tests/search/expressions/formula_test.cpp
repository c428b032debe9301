// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/formula.hpp"

#include <gtest/gtest.h>

#include <map>

namespace tune::search::formulas {
namespace {

const std::map<std::string, FormulaValue, std::less<>> known = {
    {"n", std::int64_t{12}},
    {"ProblemSize", FormulaValue::List{std::int64_t{4096}, std::int64_t{2048}}},
    {"filter_width", FormulaValue::List{std::int64_t{15}, std::int64_t{17}}},
    {"name", std::string("fast")}};

const FormulaValue* look_up(std::string_view name) {
  const auto found = known.find(name);
  return found == known.end() ? nullptr : &found->second;
}

/// As Python would print it.
std::string printed(const FormulaValue& value) {
  if (value.is_text()) return "'" + value.text() + "'";
  if (!value.is_list()) return value.scalar().to_string();
  std::string text;
  for (const FormulaValue& one : value.list()) text += (text.empty() ? "" : ", ") + printed(one);
  return "[" + text + "]";
}

struct Case {
  std::string text, value;

  friend void PrintTo(const Case& one, std::ostream* out) { *out << one.text; }
};

class FormulaValues : public ::testing::TestWithParam<Case> {};

TEST_P(FormulaValues, AreThoseOfPython) {
  EXPECT_EQ(printed(evaluate(GetParam().text, look_up)), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Formulas, FormulaValues,
    ::testing::Values(
        Case{"[16, 32, 48]", "[16, 32, 48]"},
        Case{"[16*i for i in range(1,17)]",
             "[16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256]"},
        Case{"[2**i for i in range(5)]", "[1, 2, 4, 8, 16]"}, Case{"range(10, 0, -3)", "[10, 7, 4, 1]"},
        Case{"[i for i in range(20) if i % 3 == 0 if i > 4]", "[6, 9, 12, 15, 18]"},
        Case{"[i*10+j for i in [1,2] for j in range(i)]", "[10, 20, 21]"},
        Case{"[[i, j] for i in (1, 2) for j in (3,)]", "[[1, 3], [2, 3]]"},
        Case{"[1] + [2**i for i in range(1, 3)] + list(range(5, 7))", "[1, 2, 4, 5, 6]"},
        Case{"[0] * 3", "[0, 0, 0]"}, Case{"[i if i > 1 else -i for i in range(4)]", "[0, -1, 2, 3]"},
        Case{"sum(i for i in range(5))", "10"}, Case{"max([1, 5, 3])", "5"}, Case{"max(filter_width)", "17"},
        Case{"ProblemSize[0]*ProblemSize[-1]", "8388608"},
        Case{"(ProblemSize[0]+max(filter_width)-1) * (ProblemSize[1]+max(filter_width)-1)", "8487168"},
        Case{"7 // 2 * 2 + 7 % 2", "7"}, Case{"-7 // 2", "-4"}, Case{"-7 % 3", "2"}, Case{"7 / 2", "3.5"},
        Case{"2**-1", "0.5"}, Case{"-2**2", "-4"}, Case{"2**3**2", "512"}, Case{"1 < 2 < 3 <= 3", "true"},
        Case{"3 > 2 > 2", "false"}, Case{"1 > 2 > unknown", "false"}, Case{"3 > 0 < 5", "true"},
        Case{"True if n == 12 and [1] != [2] else 0", "true"}, Case{"n == 12 ? 1 : unknown", "1"},
        Case{"[[1, 2], [3]][0][1]", "2"}, Case{"(1, 2) + (3,)", "[1, 2, 3]"}, Case{"- - 3", "3"},
        Case{"n in (8, 12)", "true"}, Case{"n not in [12]", "false"},
        Case{"not n == 12 or n == 12 and True", "true"}, Case{"0 or 5", "5"}, Case{"0 and unknown", "0"},
        Case{"1 or unknown", "1"}, Case{"5 if n > 3 else unknown", "5"}, Case{"unknown if n < 3 else 6", "6"},
        Case{"[x for x in [1, 2] if x == 1 or unknown_is_not_asked == 1][0] if False else 3", "3"},
        Case{"name == 'fast'", "true"}, Case{"['a', 'b']", "['a', 'b']"}, Case{"\"a\" + 'b'", "'ab'"},
        Case{"int(math.ceil(10 / 4))", "3"}, Case{"ceil_div(10, 4)", "3"}, Case{"round(2.5)", "2"},
        Case{"len([1, 2])", "2"}, Case{"[]", "[]"}, Case{"(3)", "3"}, Case{"(3,)", "[3]"},
        Case{"abs(-4)", "4"}, Case{"int(np.log2(8))", "3"}, Case{"[True, False]", "[true, false]"},
        Case{"1e-3", "0.001"}, Case{"[1,2,]", "[1, 2]"}, Case{"[3 & 1, 3 | 4, 7 ^ 1]", "[1, 7, 6]"},
        Case{"[~0, 1 << 3, 9 >> 1]", "[-1, 8, 4]"}, Case{"list(divmod(7, 2))", "[3, 1]"},
        Case{"[gcd(8, 12), 9]", "[4, 9]"}, Case{"sorted(set([2, 1, 2]))", "[1, 2]"},
        Case{"[1, 2, 3][::-1]", "[3, 2, 1]"}, Case{"[1, 2, 4, 8, 16][:3]", "[1, 2, 4]"},
        Case{"[1, 2, 4, 8][-2:]", "[4, 8]"}, Case{"[1, 2, 4, 8][5:]", "[]"},
        Case{"[1, 2, 4, 8, 16][3:0:-2]", "[8, 2]"}, Case{"[1, 2, 4][-9:9]", "[1, 2, 4]"},
        Case{"[1, 2, 3][2:1]", "[]"}, Case{"[*range(3), 7, *[8]]", "[0, 1, 2, 7, 8]"},
        Case{"[1<<i for i in range(4)]", "[1, 2, 4, 8]"}, Case{"sum(*[[1, 2]])", "3"},
        Case{"[[1, 2, 3], [4]][0][1:]", "[2, 3]"}, Case{"n is None", "false"},
        Case{"n is not None and 1", "1"}, Case{"{1, 2, 1.0, True}", "[1, 2]"},
        Case{"{1, 2} == {2, 1}", "true"}, Case{"{1, 2} - {1} | {5}", "[2, 5]"}, Case{"{1} < {1, 2}", "true"},
        Case{"len({1, 1})", "1"}, Case{"[x for x in {3, 3, 4}]", "[3, 4]"},
        Case{"{x % 2 for x in range(9)}", "[0, 1]"}, Case{"[1] == (1,)", "false"},
        Case{"[1, 2] < [1, 3]", "true"}, Case{"(2,) >= (1, 9)", "true"}, Case{"round(2.675, 2)", "2.67"},
        Case{"round(1250, -2)", "1200"}, Case{"round(0.1 + 0.2, 1)", "0.3"},
        Case{"0x10 + 0b11 + 0o7 + 1_000", "1026"}, Case{"lcm(4, 6)", "12"}, Case{"gcd(12, 18, 4)", "2"},
        Case{"int(math.exp(1) * 100)", "271"}, Case{"math.log(8, 2)", "3.0"}, Case{"log10(1000)", "3.0"},
        Case{"math.sin(0) + np.cos(0)", "1.0"}, Case{"int(pi * 100) + int(math.pi * 100)", "628"},
        Case{"n < inf and n < float('inf')", "true"}, Case{"pow(3, 4, 5)", "1"}, Case{"math.isqrt(17)", "4"},
        Case{"math.hypot(3, 4)", "5.0"}, Case{"math.trunc(-2.5)", "-2"}, Case{"math.comb(5, 2)", "10"},
        Case{"math.factorial(5)", "120"}, Case{"math.fmod(-7, 3)", "-1.0"},
        Case{"sum([[1], [2]], [])", "[1, 2]"}, Case{"[a * b for a, b in zip([1, 2], [3, 4])]", "[3, 8]"},
        Case{"list(reversed([1, 2]))", "[2, 1]"}, Case{"[i for i, x in enumerate([7, 8]) if x > 7]", "[1]"},
        Case{"tuple([1]) == (1,)", "true"}, Case{"len(range(0, 10, 3))", "4"},
        Case{"[1] * 2 + [3]", "[1, 1, 3]"}, Case{"10 ** 2 in [100]", "true"}));

TEST(Formulas, HaveWholeNumbersBeyond64Bits) {
  const auto is = [](const char* text, WholeNumber expected) {
    EXPECT_TRUE(evaluate(text, look_up).whole() == expected) << text;
  };
  constexpr WholeNumber two_to_64 = WholeNumber{1} << 64;
  is("2 ** 64 - 1", two_to_64 - 1);
  is("18446744073709551615 - 1", two_to_64 - 2);
  is("0xffffffffffffffff ^ 1", two_to_64 - 2);
  is("9223372036854775807 + n", (two_to_64 >> 1) + 11);
  is("-9223372036854775808 * 3 // 2", -(two_to_64 >> 1) * 3 / 2);
  is("-(2 ** 64 + 1) // 2", -(two_to_64 >> 1) - 1);
  is("-(2 ** 64 + 1) % 10", 3);
  is("(1 << 64) >> 60", 16);
  is("~(2 ** 64)", -two_to_64 - 1);
  is("max(2 ** 64, 3) - min(2 ** 64, 2 ** 65)", 0);
  is("abs(-(2 ** 64))", two_to_64);
  is("int(2 ** 64) - floor(2 ** 64 - 1)", 1);
  is("(-1) ** (2 ** 64 - 1)", -1);
  EXPECT_TRUE(evaluate("2 ** 64 > 2 ** 64 - 1 > 1e19 and 2 ** 64 == 2 * 2 ** 63 != 5", look_up).to_bool());
  EXPECT_EQ(evaluate("2 ** 64 / 2 ** 63", look_up).real(), 2);
  EXPECT_THROW(evaluate("2 ** 64", look_up).integer(), ExprError);
  EXPECT_THROW(evaluate("2 ** 64", look_up).scalar(), ExprError);
  EXPECT_THROW(evaluate("2 ** 64 // 0", look_up), ExprError);
}

struct Wrong {
  std::string text;
  std::size_t column;
  std::string message;  ///< a part of it

  friend void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.text.substr(0, 60); }
};

class WrongFormulas : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongFormulas, SayWhereAndWhy) {
  try {
    evaluate(GetParam().text, look_up);
    FAIL() << "it was taken";
  } catch (const ExprError& error) {
    EXPECT_EQ(error.column(), GetParam().column) << error.what();
    EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formulas, WrongFormulas,
    ::testing::Values(Wrong{"", 1, "expected a value"}, Wrong{"[1, 2", 6, "expected ',' or ']'"},
                      Wrong{"1 + m", 5, "unknown name 'm'"},
                      Wrong{"__import__('os')", 1, "there is no function '__import__'; there are abs, acos"},
                      Wrong{"4 // 0", 3, "zero"}, Wrong{"2 ** 200", 3, "beyond 128-bit"},
                      Wrong{"range(10**7)", 1, "million"}, Wrong{"[i for i in 5]", 13, "a list"},
                      Wrong{"ProblemSize[2]", 12, "no element 2"}, Wrong{"1 2", 3, "expected an operator"},
                      Wrong{"[i for 3 in range(2)]", 8, "a name"}, Wrong{"'a' * 'b'", 5, ""},
                      Wrong{"max()", 1, "does not take 0 operands"}, Wrong{"max([])", 1, "need a value"},
                      Wrong{"1 + not 2", 5, "a value"}, Wrong{"[1] - [2]", 5, "a single value"},
                      Wrong{"[1] < (2,)", 5, "compare"}, Wrong{"1 < [2]", 3, "compare a number with a list"},
                      Wrong{"1 if 2", 7, "expected 'else'"}, Wrong{"[1, 2][::0]", 7, "step of a slice"},
                      Wrong{"[1, 2][]", 8, "a value"}, Wrong{"[*3]", 1, "a list"},
                      Wrong{"1.5 & 2", 5, "whole numbers"},
                      Wrong{"[*range(10**6), *range(10**6)]", 1, "million"},
                      Wrong{"[0 for i in range(9**5) for j in range(9**5)]", 2, "million"},
                      Wrong{std::string(300, '(') + "1" + std::string(300, ')'), 201, "nested"}));

}  // namespace
}  // namespace tune::search::formulas
