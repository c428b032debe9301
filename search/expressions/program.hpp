// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

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
  /// True for an integer or a truth value.
  bool is_integral() const { return kind == Kind::integer || kind == Kind::boolean; }

  /// Python's truth: nonzero, or a text that is not empty.
  bool to_bool() const;
  Value value() const;
};

/// Compares by value, across kinds: 1 equals 1.0 and true; a text equals only the same text.
bool equal(const Scalar& a, const Scalar& b);

/// Carries out an operation of Python's arithmetic on one operand: negate, absolute, logical_not. Throws
/// ExprError.
Scalar apply(Expr::Op op, const Scalar& a);

/// Carries out an operation on two operands: arithmetic, comparisons, minimum, maximum. Throws ExprError for
/// a division by zero, a text where a number is needed, an integer beyond 64 bits, a real number that is not
/// finite.
Scalar apply(Expr::Op op, const Scalar& a, const Scalar& b);

/// An expression compiled to a short postfix program over numbered slots instead of names, for evaluating it
/// millions of times. Returns and throws the same as Expr::evaluate. One thread at a time.
class Program {
 public:
  /// `slots` numbers the variables; throws ExprError for a variable that is not among them.
  Program(Expr expr, const std::map<std::string, std::size_t>& slots);

  /// The program and the result borrow the texts in `slots`.
  Scalar run(std::span<const Scalar> slots);

 private:
  enum class Code : std::uint8_t {
    push,         // the literal
    load,         // the slot `argument`
    unary,        // `op` on the top
    binary,       // `op` on the two topmost
    settle_no,    // pop; if false push it and jump to `argument`  (and)
    settle_yes,   // pop; if true push it and jump to `argument`   (or)
    to_boolean,   // top becomes a truth value
    jump,         // to `argument`
    jump_unless,  // pop; if false jump to `argument`
    member,       // is the value below the `argument` topmost one of them? `op` says in or not_in
  };
  struct Instruction {
    Code code;
    Expr::Op op = Expr::Op::literal;
    std::uint32_t argument = 0;
    Scalar literal = {};
  };

  void compile(const Expr& expr, const std::map<std::string, std::size_t>& slots);
  void compile_connective(const Expr& expr, const std::map<std::string, std::size_t>& slots);
  void compile_conditional(const Expr& expr, const std::map<std::string, std::size_t>& slots);
  std::size_t emit(Code code, Expr::Op op = Expr::Op::literal, std::size_t argument = 0);
  /// Lets an earlier jump lead here.
  void land(std::size_t jump) { code_[jump].argument = static_cast<std::uint32_t>(code_.size()); }

  Expr expr_;  // owns the texts that the literals borrow
  std::vector<Instruction> code_;
  std::vector<Scalar> stack_;
};

}  // namespace tune::search
