// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "search/expressions/expr.hpp"
#include "search/expressions/value.hpp"

// Values of formulas, and their operators and functions.

namespace tune::described {

/// The value of a formula: a truth value, a whole or real number, a text, or a list of these.
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
  /// Returns an integer for a whole number, as formulas distinguish them.
  static FormulaValue of_number(double number);

  bool is_list() const { return std::holds_alternative<List>(data); }
  bool is_text() const { return std::holds_alternative<std::string>(data); }
  bool is_real() const { return std::holds_alternative<double>(data); }
  bool is_number() const { return !is_list() && !is_text(); }

  /// Throws ExprError for another kind of value.
  const List& list() const;
  const std::string& text() const;
  /// Truth values count as 0 and 1; a real number must be whole.
  std::int64_t integer() const;
  double real() const;
  /// Returns Python's truth: nonzero, or not empty.
  bool to_bool() const;
  /// Throws for a value that is not a list.
  search::Value scalar() const;

  friend bool operator==(const FormulaValue&, const FormulaValue&) = default;
};

/// Returns a text for messages: `a list`, `a text`, `a number`.
std::string kind_of(const FormulaValue& value);

// All of these throw search::ExprError.

constexpr std::size_t max_values = 1'000'000;  ///< of a list

FormulaValue arithmetic(search::Expr::Op op, const FormulaValue& a, const FormulaValue& b);
FormulaValue arithmetic(search::Expr::Op op, const FormulaValue& a);
/// Adds numbers, texts or lists.
FormulaValue plus(const FormulaValue& a, const FormulaValue& b);
/// Multiplies numbers, or repeats a list.
FormulaValue times(const FormulaValue& a, const FormulaValue& b);
/// Compares numbers and texts by size, lists for equality only.
FormulaValue compare(search::Expr::Op op, const FormulaValue& a, const FormulaValue& b);
/// A negative `index` counts from the end.
FormulaValue element(const FormulaValue& list, std::int64_t index);
/// Returns `list[begin:end:step]` as Python does.
FormulaValue slice(const FormulaValue& list, std::optional<std::int64_t> begin,
                   std::optional<std::int64_t> end, std::int64_t step);

bool is_function(std::string_view name);
FormulaValue call_function(std::string_view name, const std::vector<FormulaValue>& arguments);

// The expressions of a definition's file, as Python has them: `[16*i for i in range(1, 17)]`,
// `ProblemSize[0] * max(filter_width)`, `[2**i for i in range(5) if i != 3] + [48]`. Never run as code.

/// Returns the value of a name; null for an unknown one.
using Names = std::function<const FormulaValue*(std::string_view name)>;

/// The value of `text`. Numbers, texts, True and False, lists and tuples with subscripts, slices and `*`,
/// list comprehensions (several `for`, `if`), + - * / // % ** & | ^ ~ << >>, comparisons (chained, `in`),
/// and, or, not, `a if c else b`; the functions abs, all, any, arange, bool, ceil, ceil_div, divmod, floor,
/// float, gcd, int, len, list, log2, max, min, pow, prod, range, round, set, sorted, sqrt, sum, tuple, with
/// `math.` or `np.` before them or without; C's &&, ||, ! and `c ? a : b`. Division and remainder are
/// Python's. Throws search::ExprError with the column (from 1): Returns what is wrong, without the column,
/// with which some of the messages begin.
std::string mistake_of(const search::ExprError& error);

/// what is wrong, unknown names, numbers beyond 64 bits, and lists of more than a million values.
FormulaValue evaluate(std::string_view text, const Names& names);

}  // namespace tune::described
