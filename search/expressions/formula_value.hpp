// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "search/expressions/expr.hpp"
#include "search/expressions/value.hpp"

// Values of formulas and constraints, and their operators.

namespace tune::search {

struct Listed;
struct SymbolicRange;

/// Whole numbers on the way to a result: those of 64 bits without a sign, and sums and products of them.
__extension__ using WholeNumber = __int128;

/// A whole number beyond 64 bits with a sign, in halves, so that values stay aligned to 8 bytes.
struct WideNumber {
  std::int64_t high = 0;
  std::uint64_t low = 0;
};

/// The value of a formula: a truth value, a whole or real number, a text, or a list of these. Whole numbers
/// are exact to 127 bits. In a constraint numbers and texts are expressions, as their values depend on
/// parameters.
struct FormulaValue {
  using List = std::vector<FormulaValue>;
  enum class Shape : std::uint8_t { list, tuple, set };
  std::variant<bool, std::int64_t, double, std::string, List, Expr, std::shared_ptr<const Listed>,
               std::shared_ptr<const SymbolicRange>, WideNumber>
      data = std::int64_t{0};
  Shape shape = Shape::list;  ///< of a list

  FormulaValue() = default;
  FormulaValue(bool value) : data(value) {}                    // NOLINT(google-explicit-constructor)
  FormulaValue(std::int64_t value) : data(value) {}            // NOLINT(google-explicit-constructor)
  FormulaValue(double value) : data(value) {}                  // NOLINT(google-explicit-constructor)
  FormulaValue(std::string value) : data(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  FormulaValue(List values, Shape of = Shape::list)            // NOLINT(google-explicit-constructor)
      : data(std::move(values)), shape(of) {}
  FormulaValue(Expr value) : data(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  explicit FormulaValue(const Value& value);
  explicit FormulaValue(SymbolicRange range);
  /// A value of a list that is there only where the condition holds.
  static FormulaValue listed(Expr condition, FormulaValue value, bool repeats = false);
  static FormulaValue of_whole(WholeNumber number);
  /// Returns an integer for a whole number, as formulas distinguish them.
  static FormulaValue of_number(double number);

  bool is_list() const;
  bool is_set() const { return is_list() && shape == Shape::set; }
  bool is_text() const { return std::holds_alternative<std::string>(data); }
  bool is_real() const { return std::holds_alternative<double>(data); }
  bool is_wide() const { return std::holds_alternative<WideNumber>(data); }
  bool is_number() const;
  bool is_expr() const { return std::holds_alternative<Expr>(data); }

  // These throw ExprError for another kind of value, and for one that depends on parameters.
  const List& list() const;
  const std::string& text() const;
  /// Truth values count as 0 and 1; a real number must be whole and below 2^53, where all whole ones are
  /// exact.
  WholeNumber whole() const;
  /// The same within 64 bits.
  std::int64_t integer() const;
  double real() const;
  /// Returns Python's truth: nonzero, or not empty.
  bool to_bool() const;
  /// Throws for a value that is not a single one.
  Value scalar() const;

  /// Returns a single value as an expression, a literal where it depends on nothing.
  Expr expr() const;
  /// Returns null unless it is there under a condition.
  const Listed* conditional() const;
  /// Returns null unless it is a range in a constraint.
  const SymbolicRange* range() const;
};

struct Listed {
  Expr condition;
  FormulaValue value;
  bool repeats = false;  ///< it is left out only where an earlier value of the set equals it
};

/// `range(begin, end, step)` in a constraint. `values`: all of its numbers, where these do not depend on
/// parameters and are few.
struct SymbolicRange {
  Expr begin, end, step;
  std::optional<FormulaValue::List> values = {};
};

/// Returns a text for messages: `a list`, `a text`, `a number`.
std::string kind_of(const FormulaValue& value);

// All of these throw ExprError.

constexpr std::size_t max_values = 1'000'000;             ///< of a list
constexpr double max_exact_integer = 9007199254740992.0;  ///< larger real numbers are not exact whole numbers
constexpr std::size_t max_symbolic_values = 1000;         ///< of a list in a constraint

FormulaValue arithmetic(Expr::Op op, const FormulaValue& a, const FormulaValue& b);
FormulaValue arithmetic(Expr::Op op, const FormulaValue& a);
/// The same exactly, where an operand or the result is beyond 64 bits.
FormulaValue wide_arithmetic(Expr::Op op, const FormulaValue& a, const FormulaValue& b);
FormulaValue wide_arithmetic(Expr::Op op, const FormulaValue& a);
/// Adds numbers, texts or lists.
FormulaValue plus(const FormulaValue& a, const FormulaValue& b);
/// Multiplies numbers, or repeats a list.
FormulaValue times(const FormulaValue& a, const FormulaValue& b);
/// Differences and the like of sets, and arithmetic.
FormulaValue set_operation(Expr::Op op, const FormulaValue& a, const FormulaValue& b);
/// Compares numbers and texts by size, lists one value after the other, sets by what they have.
FormulaValue compare(Expr::Op op, const FormulaValue& a, const FormulaValue& b);
FormulaValue member(const FormulaValue& value, const FormulaValue& list);
FormulaValue negation(const FormulaValue& a);
FormulaValue both(const FormulaValue& a, const FormulaValue& b);
FormulaValue either(const FormulaValue& a, const FormulaValue& b);
/// Each value once, in the order in which they come.
FormulaValue distinct(const FormulaValue::List& all);
/// A negative `index` counts from the end.
FormulaValue element(const FormulaValue& list, const FormulaValue& index);
/// Returns `list[begin:end:step]` as Python does.
FormulaValue slice(const FormulaValue& list, std::optional<std::int64_t> begin,
                   std::optional<std::int64_t> end, std::int64_t step);

}  // namespace tune::search
