// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/hostile_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace tune::testing {
namespace {

constexpr std::array<std::string_view, 56> words = {"",
                                                    "0",
                                                    "-1",
                                                    "1",
                                                    "2",
                                                    "7",
                                                    "1e308",
                                                    "1e999",
                                                    "-1e999",
                                                    "nan",
                                                    "inf",
                                                    "-inf",
                                                    "9223372036854775807",
                                                    "9223372036854775808",
                                                    "-9223372036854775809",
                                                    "18446744073709551616",
                                                    "4294967296",
                                                    "0x10",
                                                    "1e-400",
                                                    "0.1",
                                                    "00012",
                                                    "+3",
                                                    "1,2",
                                                    "1:2",
                                                    "1:",
                                                    ":",
                                                    "::",
                                                    ",",
                                                    "=",
                                                    "a=",
                                                    "=b",
                                                    "a=b",
                                                    "a=b,a=c",
                                                    "a=b=c",
                                                    "%",
                                                    "%s%n",
                                                    "100%",
                                                    "-5%",
                                                    "1h",
                                                    "-1s",
                                                    "1e9h",
                                                    "true",
                                                    "null",
                                                    "[]",
                                                    "{}",
                                                    "../../..",
                                                    "/",
                                                    ".",
                                                    "/nonexistent/x/y",
                                                    "~",
                                                    "'; DROP TABLE runs; --",
                                                    "<script>alert(1)</script>",
                                                    "$(id)",
                                                    "`id`",
                                                    "\\",
                                                    "\""};

std::string random_bytes(Dice& dice, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<char>(1 + dice.roll(255));
    text += byte;
  }
  return text;
}

std::string repeated(std::string_view part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

std::string atom(Dice& dice, std::span<const std::string_view> names) {
  constexpr std::array<std::string_view, 14> atoms = {"0",     "1",   "-1", "2.5",  "9223372036854775807",
                                                      "1e308", "'x'", "\"", "none", "[1, 2]",
                                                      "()",    "1/0", "x",  "3 % 0"};
  return std::string(dice.one_in(2) ? dice.of(names) : dice.of(atoms));
}

std::string expression(Dice& dice, std::span<const std::string_view> names, int depth) {
  constexpr std::array<std::string_view, 24> operators = {
      "+",  "-",   "*",  "/",  "//", "%",  "**",     "==", "!=", "<",  "<=", ">",
      ">=", "and", "or", "&&", "||", "in", "not in", "&",  "=",  "if", ",",  "?"};
  constexpr std::array<std::string_view, 8> functions = {"min", "max", "abs", "range",
                                                         "len", "sum", "int", "nosuch"};
  if (depth == 0) return atom(dice, names);
  const auto part = [&] {
    return expression(dice, names, depth - 1 - static_cast<int>(dice.roll(2)) * (depth > 1 ? 1 : 0));
  };
  switch (dice.roll(8)) {
    case 0:
      return "(" + part() + ")";
    case 1:
      return (dice.one_in(2) ? "not " : "-") + part();
    case 2:
      return std::string(dice.of(functions)) + "(" + part() + ", " + part() + ")";
    case 3:
      return part() + " if " + part() + " else " + part();
    case 4:
      return atom(dice, names) + " in [" + part() + ", " + part() + "]";
    default:
      return part() + " " + std::string(dice.of(operators)) + " " + part();
  }
}

std::size_t place(Dice& dice, const std::string& text) {
  return text.empty() ? 0 : dice.roll(text.size());
}

/// Replaces the number or word at a random place, or after it.
void replace_token(Dice& dice, std::string& text) {
  const auto in_token = [&](std::size_t at) {
    return std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_' || text[at] == '.';
  };
  std::size_t begin = place(dice, text);
  while (begin < text.size() && !in_token(begin)) ++begin;
  while (begin > 0 && begin < text.size() && in_token(begin - 1)) --begin;
  std::size_t end = begin;
  while (end < text.size() && in_token(end)) ++end;
  text.replace(begin, end - begin, hostile_word(dice));
}

void change(Dice& dice, std::string& text) {
  const std::size_t at = place(dice, text), length = std::min(text.size() - at, 1 + dice.roll(40));
  switch (dice.roll(9)) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(text[at] ^ static_cast<char>(1U << dice.roll(8)));
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, text.substr(at, length));
      break;
    case 3:
      text.insert(at, hostile_word(dice));
      break;
    case 4:
      if (dice.one_in(4)) text.resize(at);
      break;
    case 5: {
      const std::string part = text.substr(at, length);
      text.erase(at, length);
      text.insert(place(dice, text), part);
      break;
    }
    default:
      replace_token(dice, text);
  }
}

}  // namespace

std::uint64_t Dice::next() {
  std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15ULL);
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
  return mixed ^ (mixed >> 31U);
}

std::string hostile_word(Dice& dice) {
  switch (dice.roll(12)) {
    case 0:
      return random_bytes(dice, 1 + dice.roll(24));
    case 1:
      return repeated(dice.one_in(2) ? "a" : "\xc3\xa9", 1 + dice.roll(3000));
    case 2:
      return repeated(dice.one_in(2) ? "(" : "[", 1 + dice.roll(300));
    case 3:
      return "\x1b[2J\xc2\x9b\n\t\r";
    default:
      return std::string(dice.of(words));
  }
}

std::string hostile_expression(Dice& dice, std::span<const std::string_view> names) {
  const std::string text = expression(dice, names, static_cast<int>(dice.roll(6)));
  return dice.one_in(3) ? damaged(dice, text) : text;
}

std::string damaged(Dice& dice, std::string text) {
  for (std::size_t changes = 1 + dice.roll(6); changes > 0; --changes) change(dice, text);
  return text;
}

}  // namespace tune::testing
