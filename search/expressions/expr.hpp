// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expressions/value.hpp"

namespace tune::search {

/// Looks a name up; returns null while it has no value. The value must live until the evaluation ends.
using Lookup = std::function<const Value*(std::string_view name)>;

/// The answer of a partial evaluation.
enum class Tribool { no, yes, unknown };

/// An immutable expression over parameters and constants: constraints, `--where`, and conditions under which
/// a parameter exists. Copying shares the tree. Arithmetic is Python's: `/` divides truly, `//` and `%` round
/// towards minus infinity, `**` is the power (a real number where the exponent is negative), comparisons
/// chain, numbers and truth values compare by value, texts compare with `==`, `!=` and `in`.
///
/// `a or b` is the operand that decides where its value counts, as in `(a or 1) * 4`; of a whole expression
/// only the truth counts. Unlike in Python, a real number that is not finite is an error, and an integer
/// beyond 64 bits can only be compared, multiplied and added.
class Expr {
 public:
  enum class Op {
    literal,
    variable,
    list,  // leaves, and [a, b, c] for `in`
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    power,
    bit_and,
    bit_or,
    bit_xor,
    shift_left,
    shift_right,
    common_divisor,  // gcd
    negate,
    bit_not,
    round,
    log2,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    in,
    not_in,
    logical_and,
    logical_or,
    logical_not,
    minimum,
    maximum,
    absolute,
    conditional,  // a if b else c, operands {b, a, c}
    call,         // of a scalar function; the first operand is its name
  };

  Expr(Value literal);         // NOLINT(google-explicit-constructor)
  Expr(int literal);           // NOLINT(google-explicit-constructor)
  Expr(std::int64_t literal);  // NOLINT(google-explicit-constructor)
  Expr(bool literal);          // NOLINT(google-explicit-constructor)
  Expr(double literal);        // NOLINT(google-explicit-constructor)
  Expr(const char* literal);   // NOLINT(google-explicit-constructor)
  Expr(std::string literal);   // NOLINT(google-explicit-constructor)
  /// Throws ExprError unless `name` is a letter or `_` followed by letters, digits, `_` and `.`.
  static Expr variable(std::string name);
  /// Throws ExprError for a wrong number of operands, a list anywhere but right of `in`, or a tree that is
  /// deeper than 1,000 or larger than 100,000 nodes (recursion over it stays within the stack).
  static Expr node(Op op, std::vector<Expr> operands);

  /// Parses Python-like text: `block_x * block_y <= 1024 and loader in ["plain", "async"]`. It is the
  /// language of formulas (search/expressions/formula.hpp), with the same functions. Lists, tuples, sets and
  /// comprehensions are written out, so that their length depends on no parameter; of a comprehension's `if`
  /// over parameters any, all, len, prod, set and sum make conditions.
  /// Throws ExprError with the column and what it expects.
  static Expr parse(std::string_view text);

  /// Returns the value under a complete assignment. Throws ExprError for an unknown name, division by zero, a
  /// text used as a number, integer overflow.
  Value evaluate(const Lookup& lookup) const;

  /// Returns the truth under an incomplete assignment: `yes` or `no` only if every completion that can be
  /// evaluated has it. Sound, not complete: `unknown` is always allowed. Never throws: a part that cannot be
  /// evaluated (division by zero) is unknown. A parameter that does not exist under the chosen variant makes
  /// a comparison that needs it unknown here, and the constraint does not apply (see SearchSpace).
  Tribool partially_evaluate(const Lookup& lookup) const;

  /// Returns the names of all variables in it.
  std::set<std::string> variables() const;

  /// Returns a text that `parse` reads back as an equal tree, with the fewest parentheses.
  std::string to_string() const;

  /// True when both trees are equal, node by node (`==` builds an expression).
  bool same_as(const Expr& other) const;

  Op op() const;
  const std::vector<Expr>& operands() const;
  /// Returns a literal's value. Throws std::logic_error for another node.
  const Value& literal() const;
  /// Returns a variable's name. Throws std::logic_error for another node.
  const std::string& name() const;

 private:
  struct Node;
  explicit Expr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

/// An expression that cannot be read or evaluated; `column` counts from 1, 0 where there is no text.
class ExprError : public std::invalid_argument {
 public:
  explicit ExprError(const std::string& what, std::size_t column = 0)
      : std::invalid_argument(what), column_(column) {}
  std::size_t column() const { return column_; }

 private:
  std::size_t column_;
};

/// A constraint of a space that cannot be computed for some configuration.
class ConstraintError : public ExprError {
 public:
  ConstraintError(const std::string& what, std::size_t constraint)
      : ExprError(what), constraint_(constraint) {}
  /// Its place in SpaceDefinition::constraints.
  std::size_t constraint() const { return constraint_; }

 private:
  std::size_t constraint_;
};

/// True when the value is a truth value for certain.
bool is_truth(const Expr& expr);

/// Shorthand for problem definitions: `var("block_x") * var("block_y") <= 1024`.
inline Expr var(std::string name) {
  return Expr::variable(std::move(name));
}
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator%(Expr a, Expr b);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr operator==(Expr a, Expr b);
Expr operator!=(Expr a, Expr b);
Expr operator&&(Expr a, Expr b);
Expr operator||(Expr a, Expr b);
Expr operator!(Expr a);
Expr floor_div(Expr a, Expr b);
Expr ceil_div(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
/// `a in [choices...]`.
Expr in(Expr a, std::vector<Expr> choices);
/// `then if condition else otherwise`.
Expr if_else(Expr condition, Expr then, Expr otherwise);

}  // namespace tune::search
