// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "search/expressions/expr.hpp"
#include "search/expressions/value.hpp"

namespace tune::search {

/// A value while an expression is computed: 16 bytes, copied freely. A text is borrowed from the `Value` that
/// the scalar was made of, which must outlive it.
struct Scalar {
  enum class Kind : std::uint8_t { boolean, integer, real, text };

  Kind kind = Kind::integer;
  union {
    std::int64_t integer = 0;  ///< also of a truth value, 0 or 1
    double real;
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

  bool is_text() const { return kind == Kind::text; }
  bool is_real() const { return kind == Kind::real; }
  /// Integer or truth value.
  bool is_integral() const { return kind == Kind::integer || kind == Kind::boolean; }

  /// Python's truth: nonzero, or a text that is not empty.
  bool to_bool() const;
  Value value() const;
};

/// By value, across kinds: 1 equals 1.0 and true; a text equals only the same text.
bool equal(const Scalar& a, const Scalar& b);

/// One operation of Python's arithmetic on one operand: negate, absolute, logical_not. Throws ExprError.
Scalar apply(Expr::Op op, const Scalar& a);

/// One operation on two operands: arithmetic, comparisons, minimum, maximum. Throws ExprError: division by
/// zero, a text where a number is needed, an integer beyond 64 bits, a real number that is not finite.
Scalar apply(Expr::Op op, const Scalar& a, const Scalar& b);

}  // namespace tune::search
