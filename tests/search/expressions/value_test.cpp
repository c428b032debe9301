// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/value.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "tests/search/print.hpp"

namespace tune::search {
namespace {

constexpr std::int64_t min_int = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t max_int = std::numeric_limits<std::int64_t>::max();

TEST(Value, TextReadsBackAsTheSameValue) {
  const Value values[] = {true,  false, 0,      -7,    min_int, max_int, 0.5, -0.0,
                          2.0,   1e30,  1e-300, 0.1,   1.0e16,  1 / 3.,  "x", "async",
                          "a b", "1x",  "-",    "inf", "nan",   "True",  ""};
  for (const Value& value : values) EXPECT_EQ(Value::parse(value.to_string()), value) << value.to_string();
}

TEST(Value, WritesTheShortestFormThatKeepsTheKind) {
  EXPECT_EQ(Value(true).to_string(), "true");
  EXPECT_EQ(Value(32).to_string(), "32");
  EXPECT_EQ(Value(32.0).to_string(), "32.0");
  EXPECT_EQ(Value(0.1).to_string(), "0.1");
  EXPECT_EQ(Value(1e30).to_string(), "1e+30");
  EXPECT_EQ(Value("direct").to_string(), "direct");
}

TEST(Value, ParsesEveryKind) {
  EXPECT_EQ(Value::parse("false"), Value(false));
  EXPECT_EQ(Value::parse("-12"), Value(-12));
  EXPECT_EQ(Value::parse("-1.5e2"), Value(-150.0));
  EXPECT_EQ(Value::parse(".5"), Value(0.5));
  EXPECT_EQ(Value::parse("99999999999999999999"), Value(1e20));
  EXPECT_EQ(Value::parse("1e999"), Value("1e999"));
  EXPECT_EQ(Value::parse("inf"), Value("inf"));
  EXPECT_EQ(Value::parse("12 "), Value("12 "));
  EXPECT_EQ(Value::parse("+1"), Value("+1"));
}

TEST(Value, EqualityIsTyped) {
  EXPECT_NE(Value(1), Value(true));
  EXPECT_NE(Value(1), Value(1.0));
  EXPECT_NE(Value(1), Value("1"));
  EXPECT_EQ(Value("a"), Value(std::string("a")));
  EXPECT_TRUE(Value("text").is_text());  // and not a truth value, which a pointer would convert to
}

TEST(Value, ConvertsNumbers) {
  EXPECT_EQ(Value(true).as_int(), 1);
  EXPECT_EQ(Value(-3.0).as_int(), -3);
  EXPECT_EQ(Value(-0x1.0p63).as_int(), min_int);
  EXPECT_EQ(Value(false).as_real(), 0.0);
  EXPECT_EQ(Value(7).as_real(), 7.0);
  EXPECT_THROW(Value(0.5).as_int(), std::invalid_argument);
  EXPECT_THROW(Value(0x1.0p63).as_int(), std::invalid_argument);
  EXPECT_THROW(Value("7").as_int(), std::invalid_argument);
  EXPECT_THROW(Value("7").as_real(), std::invalid_argument);
  EXPECT_THROW(Value(7).as_text(), std::invalid_argument);
}

TEST(Value, TruthIsPythons) {
  EXPECT_TRUE(Value(-1).as_bool());
  EXPECT_TRUE(Value(0.1).as_bool());
  EXPECT_TRUE(Value("false").as_bool());
  EXPECT_FALSE(Value(0).as_bool());
  EXPECT_FALSE(Value(-0.0).as_bool());
  EXPECT_FALSE(Value("").as_bool());
  EXPECT_FALSE(Value(false).as_bool());
}

}  // namespace
}  // namespace tune::search
