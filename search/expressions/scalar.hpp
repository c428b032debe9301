// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "search/expressions/expr.hpp"
#include "search/expressions/value.hpp"

namespace tune::search {

/// A value while an expression is computed: 16 bytes, copied freely. A text is borrowed from the `Value` that
/// the scalar was made of, which must outlive it.
struct Scalar {
  /// `huge`: a whole number beyond 64 bits. It is only known to some 30 bits, so that it can be compared,
  /// multiplied and added; other operations on it fail.
  enum class Kind : std::uint8_t { boolean, integer, real, text, huge };

  Kind kind = Kind::integer;
  union {
    std::int64_t integer = 0;  ///< also of a truth value, 0 or 1
    double real;               ///< also of a huge number, infinite beyond real numbers
    const std::string* text;
  };

  static Scalar of(bool value) {
    Scalar scalar;
    scalar.kind = Kind::boolean;
    scalar.integer = value ? 1 : 0;
    return scalar;
  }
  static Scalar of(std::int64_t value) {
    Scalar scalar;
    scalar.integer = value;
    return scalar;
  }
  static Scalar of(double value) {
    Scalar scalar;
    scalar.kind = Kind::real;
    scalar.real = value;
    return scalar;
  }
  static Scalar of(const Value& value);
  static Scalar of_huge(double value) {
    Scalar scalar = of(value);
    scalar.kind = Kind::huge;
    return scalar;
  }

  bool is_text() const { return kind == Kind::text; }
  bool is_real() const { return kind == Kind::real; }
  bool is_huge() const { return kind == Kind::huge; }
  /// True for an integer or a truth value.
  bool is_integral() const { return kind == Kind::integer || kind == Kind::boolean; }

  /// Python's truth: nonzero, or a text that is not empty.
  bool to_bool() const {
    if (is_text()) return !text->empty();
    return is_real() || is_huge() ? real != 0.0 : integer != 0;
  }
  /// Throws ExprError for a huge number.
  Value value() const;
};

/// Compares by value, across kinds: 1 equals 1.0 and true; a text equals only the same text. Throws ExprError
/// where two huge numbers are too near to each other.
bool equal(const Scalar& a, const Scalar& b);

/// Carries out an operation of Python's arithmetic on one operand: negate, absolute, logical_not. Throws
/// ExprError.
Scalar apply(Expr::Op op, const Scalar& a);

/// Carries out an operation on two operands: arithmetic, comparisons, minimum, maximum. Throws ExprError for
/// a division by zero, a text where a number is needed, an integer beyond 64 bits, a real number that is not
/// finite.
Scalar apply(Expr::Op op, const Scalar& a, const Scalar& b);

/// Carries out the operations of nearly all constraints on whole numbers, without a call; returns false for
/// all others, which `apply` does.
inline bool apply_quickly(Expr::Op op, const Scalar& a, const Scalar& b, Scalar& result) {
  using Op = Expr::Op;
  if (!a.is_integral() || !b.is_integral()) return false;
  std::int64_t whole = 0;
  switch (op) {
    case Op::add:
      if (__builtin_add_overflow(a.integer, b.integer, &whole)) return false;
      break;
    case Op::subtract:
      if (__builtin_sub_overflow(a.integer, b.integer, &whole)) return false;
      break;
    case Op::multiply:
      if (__builtin_mul_overflow(a.integer, b.integer, &whole)) return false;
      break;
    case Op::floor_divide:
      if (a.integer < 0 || b.integer <= 0) return false;
      whole = a.integer / b.integer;
      break;
    case Op::modulo:
      if (a.integer < 0 || b.integer <= 0) return false;
      whole = a.integer % b.integer;
      break;
    case Op::less:
      result = Scalar::of(a.integer < b.integer);
      return true;
    case Op::less_equal:
      result = Scalar::of(a.integer <= b.integer);
      return true;
    case Op::greater:
      result = Scalar::of(a.integer > b.integer);
      return true;
    case Op::greater_equal:
      result = Scalar::of(a.integer >= b.integer);
      return true;
    case Op::equal:
      result = Scalar::of(a.integer == b.integer);
      return true;
    case Op::not_equal:
      result = Scalar::of(a.integer != b.integer);
      return true;
    default:
      return false;
  }
  result = Scalar::of(whole);
  return true;
}

}  // namespace tune::search
