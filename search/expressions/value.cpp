// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/value.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace tune::search {

namespace {

template<class Number>
std::optional<Number> read_integer(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// Words that std::from_chars takes for numbers (`inf`, `nan`) stay texts.
bool starts_like_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && (text.front() == '.' || (text.front() >= '0' && text.front() <= '9'));
}

std::string real_to_string(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end);
  // "2" would read back as an integer; 'n' is that of inf and nan.
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

Value Value::parse(std::string_view text) {
  if (text == "true") return Value(true);
  if (text == "false") return Value(false);
  if (starts_like_number(text)) {
    if (const auto integer = read_integer<std::int64_t>(text)) return Value(*integer);
    if (const auto real = read_integer<double>(text)) return Value(*real);
  }
  return Value(text);
}

std::int64_t Value::as_int() const {
  if (is_int()) return std::get<std::int64_t>(data_);
  if (is_bool()) return std::get<bool>(data_) ? 1 : 0;
  if (is_real()) {
    const double real = std::get<double>(data_);
    if (real >= -0x1.0p63 && real < 0x1.0p63 && real == std::trunc(real))
      return static_cast<std::int64_t>(real);
  }
  throw std::invalid_argument("'" + to_string() + "' is not an integer");
}

double Value::as_real() const {
  if (is_real()) return std::get<double>(data_);
  if (is_text()) throw std::invalid_argument("'" + to_string() + "' is not a number");
  return static_cast<double>(as_int());
}

bool Value::as_bool() const {
  if (is_text()) return !std::get<std::string>(data_).empty();
  if (is_real()) return std::get<double>(data_) != 0.0;
  return as_int() != 0;
}

const std::string& Value::as_text() const {
  if (!is_text()) throw std::invalid_argument("'" + to_string() + "' is not a text");
  return std::get<std::string>(data_);
}

std::string Value::to_string() const {
  if (is_text()) return std::get<std::string>(data_);
  if (is_bool()) return std::get<bool>(data_) ? "true" : "false";
  if (is_real()) return real_to_string(std::get<double>(data_));
  return std::to_string(std::get<std::int64_t>(data_));
}

}  // namespace tune::search
