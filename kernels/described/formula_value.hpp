// SPDX-License-Identifier: Apache-2.0
// What formulas are worth, and what their operators and functions compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "search/expressions/expr.hpp"
#include "search/expressions/value.hpp"

namespace tune::definition {

/// What a formula is worth: a truth value, a whole or real number, a text, or a list of these.
struct FormulaValue {
  using List = std::vector<FormulaValue>;
  std::variant<bool, std::int64_t, double, std::string, List> data = std::int64_t{0};

  FormulaValue() = default;
  FormulaValue(bool value) : data(value) {}                    // NOLINT(google-explicit-constructor)
  FormulaValue(std::int64_t value) : data(value) {}            // NOLINT(google-explicit-constructor)
  FormulaValue(double value) : data(value) {}                  // NOLINT(google-explicit-constructor)
  FormulaValue(std::string value) : data(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  FormulaValue(List values) : data(std::move(values)) {}       // NOLINT(google-explicit-constructor)
  explicit FormulaValue(const search::Value& value);
  /// A whole number where it is one, as formulas tell them apart.
  static FormulaValue of_number(double number);

  bool is_list() const { return std::holds_alternative<List>(data); }
  bool is_text() const { return std::holds_alternative<std::string>(data); }
  bool is_real() const { return std::holds_alternative<double>(data); }
  bool is_number() const { return !is_list() && !is_text(); }

  /// Throws ExprError where it is something else.
  const List& list() const;
  const std::string& text() const;
  /// Truth values count as 0 and 1; a real number must be whole.
  std::int64_t integer() const;
  double real() const;
  /// Python's truth: nonzero, or not empty.
  bool to_bool() const;
  /// Of what is no list.
  search::Value scalar() const;

  friend bool operator==(const FormulaValue&, const FormulaValue&) = default;
};

/// For messages: `a list`, `a text`, `a number`.
std::string kind_of(const FormulaValue& value);

// All of these throw search::ExprError.

constexpr std::size_t max_values = 1'000'000;  ///< of a list

FormulaValue arithmetic(search::Expr::Op op, const FormulaValue& a, const FormulaValue& b);
/// Numbers, texts or lists.
FormulaValue plus(const FormulaValue& a, const FormulaValue& b);
/// Numbers, or a list so many times.
FormulaValue times(const FormulaValue& a, const FormulaValue& b);
/// Numbers and texts by size, lists by equality alone.
FormulaValue compare(search::Expr::Op op, const FormulaValue& a, const FormulaValue& b);
/// From the end where `index` is negative.
FormulaValue element(const FormulaValue& list, std::int64_t index);

bool is_function(std::string_view name);
FormulaValue call_function(std::string_view name, const std::vector<FormulaValue>& arguments);

}  // namespace tune::definition
