// SPDX-License-Identifier: Apache-2.0
// Operators of formulas where a whole number or the result is beyond 64 bits with a sign.
#include <algorithm>
#include <compare>

#include "search/expressions/expr_syntax.hpp"
#include "search/expressions/formula_value.hpp"
#include "search/expressions/scalar.hpp"

namespace tune::search {
namespace {

using Op = Expr::Op;

[[noreturn]] void fail_beyond_128(Op op) {
  throw ExprError("the result of '" + std::string(symbol(op)) + "' is beyond 128-bit integers");
}

WholeNumber wide_quotient(Op op, WholeNumber a, WholeNumber b) {
  if (b == 0) throw ExprError("division by zero in '" + std::string(symbol(op)) + "'");
  if (b == -1) {  // the lowest number has no opposite
    WholeNumber negated = 0;
    if (__builtin_sub_overflow(WholeNumber{0}, a, &negated)) fail_beyond_128(op);
    return negated;
  }
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

WholeNumber wide_power(WholeNumber base, WholeNumber exponent) {
  WholeNumber result = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(result, base, &result)) fail_beyond_128(Op::power);
    if (result == 0 || (result == 1 && base == 1)) break;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  }
  return result;
}

WholeNumber wide_shift(Op op, WholeNumber a, WholeNumber by) {
  if (by < 0) throw ExprError("'" + std::string(symbol(op)) + "' by a negative number");
  if (op == Op::shift_right) return a >> static_cast<int>(std::min<WholeNumber>(by, 127));
  WholeNumber result = 0;
  if (a != 0 && (by > 126 || __builtin_mul_overflow(a, WholeNumber{1} << static_cast<int>(by), &result)))
    fail_beyond_128(op);
  return result;
}

FormulaValue comparison_of(Op op, std::partial_ordering order) {
  switch (op) {
    case Op::less:
      return order < 0;
    case Op::less_equal:
      return order <= 0;
    case Op::greater:
      return order > 0;
    case Op::greater_equal:
      return order >= 0;
    case Op::equal:
      return order == 0;
    default:
      return order != 0;
  }
}

bool gives_truth(Op op) {
  return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal ||
         op == Op::equal || op == Op::not_equal;
}

}  // namespace

FormulaValue wide_arithmetic(Op op, const FormulaValue& a, const FormulaValue& b) {
  if (!a.is_number() || !b.is_number()) {  // equality with a text, or an error
    const Scalar any = Scalar::of(std::int64_t{0});
    const Value left = a.is_number() ? Value() : a.scalar(), right = b.is_number() ? Value() : b.scalar();
    return FormulaValue(
        apply(op, a.is_number() ? any : Scalar::of(left), b.is_number() ? any : Scalar::of(right)).value());
  }
  const bool is_real = a.is_real() || b.is_real();
  if (gives_truth(op)) return comparison_of(op, is_real ? a.real() <=> b.real() : a.whole() <=> b.whole());
  if (is_real || op == Op::divide)
    return apply(op, Scalar::of(a.real()), Scalar::of(b.real())).value().as_real();
  const WholeNumber left = a.whole(), right = b.whole();
  WholeNumber result = 0;
  bool overflows = false;
  switch (op) {
    case Op::add:
      overflows = __builtin_add_overflow(left, right, &result);
      break;
    case Op::subtract:
      overflows = __builtin_sub_overflow(left, right, &result);
      break;
    case Op::multiply:
      overflows = __builtin_mul_overflow(left, right, &result);
      break;
    case Op::floor_divide:
      result = wide_quotient(op, left, right);
      break;
    case Op::modulo:
      result = left - wide_quotient(op, left, right) * right;
      break;
    case Op::power:
      if (right < 0) return apply(op, Scalar::of(a.real()), Scalar::of(b.real())).value().as_real();
      result = wide_power(left, right);
      break;
    case Op::shift_left:
    case Op::shift_right:
      result = wide_shift(op, left, right);
      break;
    case Op::bit_and:
      result = left & right;
      break;
    case Op::bit_or:
      result = left | right;
      break;
    case Op::bit_xor:
      result = left ^ right;
      break;
    case Op::minimum:
      result = std::min(left, right);
      break;
    case Op::maximum:
      result = std::max(left, right);
      break;
    default:
      fail_beyond_128(op);
  }
  if (overflows) fail_beyond_128(op);
  return FormulaValue::of_whole(result);
}

FormulaValue wide_arithmetic(Op op, const FormulaValue& a) {
  const WholeNumber number = a.whole();
  switch (op) {
    case Op::negate:
      return wide_arithmetic(Op::subtract, std::int64_t{0}, a);
    case Op::absolute:
      return number < 0 ? wide_arithmetic(Op::subtract, std::int64_t{0}, a) : a;
    case Op::bit_not:
      return FormulaValue::of_whole(~number);
    case Op::round:
      return a;
    default:
      return FormulaValue(apply(op, Scalar::of(a.real())).value());
  }
}

}  // namespace tune::search
