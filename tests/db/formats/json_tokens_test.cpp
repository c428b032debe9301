// SPDX-License-Identifier: Apache-2.0
// Tokens of JSON are those of the library, however the text is cut into parts.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "db/formats/json_stream.hpp"

namespace tune::testing {
namespace {

using Json = nlohmann::json;
using Kind = replay::JsonTokens::Kind;

class TextInParts : public replay::TextSource {
 public:
  TextInParts(std::string_view text, std::size_t length) : text_(text), length_(length) {}
  std::string_view next() override {
    part_ = text_.substr(0, length_);  // what was returned before is no longer valid
    text_.remove_prefix(part_.size());
    return part_;
  }

 private:
  std::string_view text_;
  std::string part_;
  std::size_t length_;
};

/// The value of a text that is one token; nothing for another one.
std::optional<Json> scalar_in(std::string_view text, std::size_t length) {
  TextInParts source(text, length);
  replay::JsonTokens tokens(source, "file");
  Json value;
  switch (tokens.next()) {
    case Kind::text:
      value = tokens.text();
      break;
    case Kind::integer:
      value = tokens.integer();
      break;
    case Kind::natural:
      value = tokens.natural();
      break;
    case Kind::real:
      value = tokens.real();
      break;
    case Kind::yes:
      value = true;
      break;
    case Kind::no:
      value = false;
      break;
    case Kind::null:
      value = nullptr;
      break;
    default:
      return std::nullopt;
  }
  if (tokens.next() != Kind::end) return std::nullopt;
  return value;
}

void expect_as_library(std::string_view text) {
  const Json parsed = Json::parse(text, nullptr, false);
  std::optional<Json> library;
  if (!parsed.is_discarded()) library = parsed;
  for (const std::size_t length : {text.size() + 1, std::size_t{1}, std::size_t{3}}) {
    const std::optional<Json> ours = scalar_in(text, length);
    ASSERT_EQ(ours.has_value(), library.has_value()) << text << " in parts of " << length;
    if (!ours) continue;
    ASSERT_EQ(*ours, *library) << text << " in parts of " << length;
    ASSERT_EQ(ours->type(), library->type()) << text << " in parts of " << length;
  }
}

TEST(JsonTokens, NumbersAndWordsAreThoseOfTheLibrary) {
  for (const char* text : {"0",
                           "-0",
                           "00",
                           "01",
                           "-",
                           "-01",
                           "1.",
                           ".5",
                           "1.5",
                           "-1.5e3",
                           "1e",
                           "1e+",
                           "1E-2",
                           "1e5",
                           "+1",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "4.9e-324",
                           "2.2250738585072011e-308",
                           "9223372036854775807",
                           "9223372036854775808",
                           "18446744073709551615",
                           "18446744073709551616",
                           "-9223372036854775808",
                           "-9223372036854775809",
                           "123456789012345678901234567890",
                           "0.1",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "0x1",
                           "1 2",
                           "Infinity",
                           "NaN",
                           "nan",
                           "true",
                           "false",
                           "null",
                           "tru",
                           "nulll",
                           "True",
                           " \t\r\n1 \n",
                           "1,",
                           "",
                           " "})
    expect_as_library(text);
}

TEST(JsonTokens, TextsAreThoseOfTheLibrary) {
  for (const char* text : {R"("")",
                           R"("a)",
                           R"("a\"b\\c\/\b\f\n\r\t")",
                           R"("\a")",
                           R"("\u0041")",
                           R"("\u00e9")",
                           R"("\u20AC")",
                           R"("\ud83d\ude00")",
                           R"("\ud83d")",
                           R"("\ud83dx")",
                           R"("\ud83d\u0041")",
                           R"("\ude00")",
                           R"("\u12")",
                           R"("\u12g4")",
                           R"("\u0000")",
                           R"("\")",
                           "\"\\",
                           "\"\\u",
                           "\"a\nb\"",
                           "\"\x7f\"",
                           "\"\x1f\"",
                           "a",
                           "\"a\" b"})
    expect_as_library(text);
  expect_as_library(std::string_view("\"a\0b\"", 5));
}

/// Every first byte with second bytes at the limits of their ranges, and with too few bytes behind.
TEST(JsonTokens, OnlyUtf8IsText) {
  const int limits[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
  for (int first = 0x80; first < 0x100; ++first)
    for (const int second : limits)
      for (const std::string rest : {"", "\x80", "\xbf\x80", "\x80\x80\x80", "\xc0", "\x80\xc0"})
        expect_as_library("\"" + std::string{static_cast<char>(first), static_cast<char>(second)} + rest +
                          "\"");
}

TEST(JsonTokens, RandomTextsAreThoseOfTheLibrary) {
  constexpr std::string_view characters = "\"\\u0dD8cefb/-+.1eE9 \ntrla{}[]:,\xc3\xa9\xf0\x9f";
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    const int count = static_cast<int>(random() % 12);
    for (int k = 0; k < count; ++k) text += characters[random() % characters.size()];
    if (i % 2 == 0) text = "\"" + text + "\"";
    const Json parsed = Json::parse(text, nullptr, false);
    if (parsed.is_structured()) continue;
    expect_as_library(text);
  }
}

}  // namespace
}  // namespace tune::testing
