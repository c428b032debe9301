// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tune::search {

/// A value of a parameter, a setting or an expression: a truth value, an integer, a real number or a text.
/// Equality is exact and typed (`Value{1} != Value{true}`); expressions compare numbers by value instead.
class Value {
 public:
  Value() : data_(std::int64_t{0}) {}
  Value(bool value) : data_(value) {}                           // NOLINT(google-explicit-constructor)
  Value(int value) : data_(std::int64_t{value}) {}              // NOLINT(google-explicit-constructor)
  Value(std::int64_t value) : data_(value) {}                   // NOLINT(google-explicit-constructor)
  Value(double value) : data_(value) {}                         // NOLINT(google-explicit-constructor)
  Value(std::string value) : data_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Value(const char* value) : data_(std::string(value)) {}       // NOLINT(google-explicit-constructor)
  Value(std::string_view value) : data_(std::string(value)) {}  // NOLINT(google-explicit-constructor)

  /// Reads the form that `to_string` writes: `true`, `false`, an integer, a real number, else a text.
  static Value parse(std::string_view text);

  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(data_); }
  bool is_real() const { return std::holds_alternative<double>(data_); }
  bool is_text() const { return std::holds_alternative<std::string>(data_); }
  bool is_number() const { return !is_text(); }

  /// Returns the value as an integer; truth values count as 0 and 1. Throws std::invalid_argument for a text
  /// or a real number that is not whole.
  std::int64_t as_int() const;
  /// Returns the value as a real number; truth values count as 0 and 1. Throws std::invalid_argument for a
  /// text.
  double as_real() const;
  /// Python's truth: nonzero, or a text that is not empty.
  bool as_bool() const;
  /// Throws std::invalid_argument unless it is a text.
  const std::string& as_text() const;

  /// Canonical and reversible: `true`, `32`, `0.5` (shortest form that reads back the same), or the text
  /// itself.
  std::string to_string() const;

  friend bool operator==(const Value& a, const Value& b) = default;

 private:
  std::variant<bool, std::int64_t, double, std::string> data_;
};

}  // namespace tune::search
