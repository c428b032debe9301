// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/scalar.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <numeric>

#include "search/expressions/expr_syntax.hpp"

namespace tune::search {

namespace {

using Op = Expr::Op;

[[noreturn]] void fail_overflow(Op op) {
  throw ExprError("the result of '" + std::string(symbol(op)) + "' is beyond 64-bit integers");
}

[[noreturn]] void fail_zero(Op op) {
  throw ExprError("division by zero in '" + std::string(symbol(op)) + "'");
}

void need_number(Op op, const Scalar& a) {
  if (!a.is_text()) return;
  throw ExprError("'" + *a.text + "' is a text, but '" + std::string(symbol(op)) + "' needs numbers");
}

double to_real(const Scalar& a) {
  return a.is_real() || a.is_huge() ? a.real : static_cast<double>(a.integer);
}

/// Compares exactly, where a conversion of the integer to a real number would round.
std::partial_ordering compare(std::int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= 0x1.0p63) return std::partial_ordering::less;
  if (b < -0x1.0p63) return std::partial_ordering::greater;
  const double whole = std::floor(b);
  const auto floor = static_cast<std::int64_t>(whole);
  if (a != floor) return a <=> floor;
  return b > whole ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

constexpr double two_to_63 = 0x1p63;
constexpr double huge_error = 0x1p-30;  // more than all roundings of an expression together

std::partial_ordering compare_huge(const Scalar& a, const Scalar& b) {
  const double left = to_real(a), right = to_real(b);
  const double larger = std::max(std::abs(left), std::abs(right));
  const bool certain = (left < 0) != (right < 0) || std::abs(left - right) > huge_error * larger ||
                       (std::isinf(left) != std::isinf(right));
  // Any 64-bit integer is nearer to zero.
  if (a.is_integral()) return right > 0 ? std::partial_ordering::less : std::partial_ordering::greater;
  if (b.is_integral()) return left > 0 ? std::partial_ordering::greater : std::partial_ordering::less;
  if (!certain) throw ExprError("numbers beyond 64-bit integers that are too near to each other to compare");
  return left <=> right;
}

std::partial_ordering compare(const Scalar& a, const Scalar& b) {
  if (a.is_huge() || b.is_huge()) return compare_huge(a, b);
  if (a.is_integral() && b.is_integral()) return a.integer <=> b.integer;
  if (a.is_real() && b.is_real()) return a.real <=> b.real;
  if (a.is_integral()) return compare(a.integer, b.real);
  return 0 <=> compare(b.integer, a.real);
}

std::int64_t integer_floor_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) fail_zero(Op::floor_divide);
  if (b == -1) {
    std::int64_t negated = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, a, &negated)) fail_overflow(Op::floor_divide);
    return negated;
  }
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

std::int64_t integer_modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) fail_zero(Op::modulo);
  if (b == -1) return 0;  // INT64_MIN % -1 traps
  const std::int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

/// The power of a whole number that is not 0, 1 or -1, where it is beyond 64 bits.
Scalar huge_power(double base, std::int64_t exponent) {
  const double magnitude = std::pow(std::abs(base), static_cast<double>(exponent));
  return Scalar::of_huge(base < 0 && exponent % 2 != 0 ? -magnitude : magnitude);
}

Scalar integer_power(std::int64_t base, std::int64_t exponent) {
  const auto first = static_cast<double>(base);
  const std::int64_t all = exponent;
  std::int64_t result = 1;
  while (true) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return huge_power(first, all);
    exponent >>= 1;
    if (exponent == 0) return Scalar::of(result);
    if (__builtin_mul_overflow(base, base, &base)) return huge_power(first, all);
  }
}

double real_modulo(double a, double b) {
  if (b == 0.0) fail_zero(Op::modulo);
  const double remainder = std::fmod(a, b);
  if (remainder == 0.0) return std::copysign(0.0, b);
  return (remainder < 0.0) != (b < 0.0) ? remainder + b : remainder;
}

double real_floor_divide(double a, double b) {
  if (b == 0.0) fail_zero(Op::floor_divide);
  // Returns the whole number that the real one is but for rounding.
  return std::round((a - real_modulo(a, b)) / b);
}

double real_power(double base, double exponent) {
  if (base == 0.0 && exponent < 0.0) fail_zero(Op::power);
  if (base < 0.0 && exponent != std::trunc(exponent))
    throw ExprError("a negative number to the power of a fraction is not real");
  return std::pow(base, exponent);
}

Scalar real_arithmetic(Op op, double a, double b) {
  double result = 0.0;
  switch (op) {
    case Op::add:
      result = a + b;
      break;
    case Op::subtract:
      result = a - b;
      break;
    case Op::multiply:
      result = a * b;
      break;
    case Op::divide:
      if (b == 0.0) fail_zero(op);
      result = a / b;
      break;
    case Op::floor_divide:
      result = real_floor_divide(a, b);
      break;
    case Op::modulo:
      result = real_modulo(a, b);
      break;
    case Op::power:
      result = real_power(a, b);
      break;
    default:
      throw std::logic_error("not an arithmetic operation");
  }
  if (!std::isfinite(result))
    throw ExprError("the result of '" + std::string(symbol(op)) + "' is not finite");
  return Scalar::of(result);
}

Scalar integer_arithmetic(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  const auto first = static_cast<double>(a), second = static_cast<double>(b);
  double real = 0;  // where it overflows
  switch (op) {
    case Op::add:
      overflow = __builtin_add_overflow(a, b, &result);
      real = first + second;
      break;
    case Op::subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      real = first - second;
      break;
    case Op::multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      real = first * second;
      break;
    case Op::floor_divide:
      result = integer_floor_divide(a, b);
      break;
    case Op::modulo:
      result = integer_modulo(a, b);
      break;
    case Op::power:
      return b < 0 ? real_arithmetic(op, first, second) : integer_power(a, b);
    default:
      return real_arithmetic(op, first, second);
  }
  return overflow ? Scalar::of_huge(real) : Scalar::of(result);
}

/// The result, unless it may be within 64 bits again.
Scalar still_huge(Op op, double result) {
  if (!(std::abs(result) > two_to_63 * (1 + huge_error))) fail_overflow(op);
  return Scalar::of_huge(result);
}

/// Of whole numbers, of which one is huge.
Scalar huge_arithmetic(Op op, const Scalar& a, const Scalar& b) {
  const double left = to_real(a), right = to_real(b);
  const double larger = std::max(std::abs(left), std::abs(right));
  switch (op) {
    case Op::add:
    case Op::subtract: {
      const double result = op == Op::add ? left + right : left - right;
      if ((left < 0) == ((op == Op::add ? right : -right) < 0)) return Scalar::of_huge(result);
      if (!(std::abs(result) >= larger / 2)) fail_overflow(op);  // the error would grow
      return still_huge(op, result);
    }
    case Op::multiply:
      if (left == 0 || right == 0) return Scalar::of(std::int64_t{0});
      return left * right > 0 ? Scalar::of_huge(left * right) : still_huge(op, left * right);
    case Op::floor_divide:
      if (right == 0) fail_zero(op);
      if (b.is_huge()) fail_overflow(op);
      return still_huge(op, left / right);
    case Op::shift_left:
      if (b.is_huge() || b.integer < 0) fail_overflow(op);
      return Scalar::of_huge(std::ldexp(left, static_cast<int>(std::min<std::int64_t>(b.integer, 5000))));
    case Op::power:
      if (b.is_huge() || b.integer < 1) fail_overflow(op);
      return huge_power(left, b.integer);
    default:
      fail_overflow(op);
  }
}

/// Whole numbers alone, as in Python.
std::int64_t need_whole(Op op, const Scalar& a) {
  if (a.is_integral()) return a.integer;
  throw ExprError("'" + std::string(symbol(op)) + "' needs whole numbers");
}

Scalar bit_operation(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::bit_and:
      return Scalar::of(a & b);
    case Op::bit_or:
      return Scalar::of(a | b);
    case Op::bit_xor:
      return Scalar::of(a ^ b);
    case Op::common_divisor: {
      constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
      if (a == lowest || b == lowest) fail_overflow(op);
      return Scalar::of(std::gcd(a, b));
    }
    default:
      break;
  }
  if (b < 0) throw ExprError("'" + std::string(symbol(op)) + "' by a negative number");
  if (op == Op::shift_right)
    return Scalar::of(b > 63 ? (a < 0 ? std::int64_t{-1} : std::int64_t{0}) : a >> b);
  std::int64_t result = 0;
  if (a != 0 && (b > 62 || __builtin_mul_overflow(a, std::int64_t{1} << b, &result)))
    return Scalar::of_huge(
        std::ldexp(static_cast<double>(a), static_cast<int>(std::min<std::int64_t>(b, 5000))));
  return Scalar::of(result);
}

Scalar logarithm(double a) {
  if (!(a > 0)) throw ExprError("the logarithm of a number that is not positive");
  return Scalar::of(std::log2(a));
}

Scalar of_one_huge(Op op, const Scalar& a) {
  switch (op) {
    case Op::negate:
      return still_huge(op, -a.real);
    case Op::absolute:
      return still_huge(op, std::abs(a.real));
    case Op::round:
      return a;
    default:
      fail_overflow(op);
  }
}

/// To the nearest whole number, halves to the even one, as in Python.
Scalar rounded(double a) {
  const double whole = std::nearbyint(a);
  if (!(std::fabs(whole) < 0x1.0p63)) fail_overflow(Op::round);
  return Scalar::of(static_cast<std::int64_t>(whole));
}

}  // namespace

Scalar Scalar::of(const Value& value) {
  if (value.is_bool()) return of(value.as_bool());
  if (value.is_int()) return of(value.as_int());
  if (value.is_real()) return of(value.as_real());
  Scalar scalar;
  scalar.kind = Kind::text;
  scalar.text = &value.as_text();
  return scalar;
}

Value Scalar::value() const {
  switch (kind) {
    case Kind::boolean:
      return Value(integer != 0);
    case Kind::integer:
      return Value(integer);
    case Kind::real:
      return Value(real);
    case Kind::text:
      break;
    case Kind::huge:
      throw ExprError("the result is beyond 64-bit integers");
  }
  return Value(*text);
}

bool equal(const Scalar& a, const Scalar& b) {
  if (a.is_text() || b.is_text())
    return a.is_text() && b.is_text() && (a.text == b.text || *a.text == *b.text);
  return compare(a, b) == 0;
}

Scalar apply(Expr::Op op, const Scalar& a) {
  if (op == Op::logical_not) return Scalar::of(!a.to_bool());
  need_number(op, a);
  if (a.is_huge()) return of_one_huge(op, a);
  if (op == Op::log2) return logarithm(to_real(a));
  if (op == Op::bit_not) return Scalar::of(~need_whole(op, a));
  if (op == Op::round) return a.is_real() ? rounded(a.real) : Scalar::of(a.integer);
  if (a.is_real()) return Scalar::of(op == Op::negate ? -a.real : std::fabs(a.real));
  if (op == Op::absolute && a.integer >= 0) return Scalar::of(a.integer);
  std::int64_t negated = 0;
  if (__builtin_sub_overflow(std::int64_t{0}, a.integer, &negated)) return Scalar::of_huge(two_to_63);
  return Scalar::of(negated);
}

Scalar apply(Expr::Op op, const Scalar& a, const Scalar& b) {
  if (op == Op::equal) return Scalar::of(equal(a, b));
  if (op == Op::not_equal) return Scalar::of(!equal(a, b));
  need_number(op, a);
  need_number(op, b);
  const bool compares =
      op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal;
  if ((a.is_huge() || b.is_huge()) && !compares && op != Op::minimum && op != Op::maximum) {
    if (a.is_real() || b.is_real()) fail_overflow(op);
    return huge_arithmetic(op, a, b);
  }
  switch (op) {
    case Op::less:
      return Scalar::of(compare(a, b) < 0);
    case Op::less_equal:
      return Scalar::of(compare(a, b) <= 0);
    case Op::greater:
      return Scalar::of(compare(a, b) > 0);
    case Op::greater_equal:
      return Scalar::of(compare(a, b) >= 0);
    case Op::minimum:
      return compare(b, a) < 0 ? b : a;
    case Op::maximum:
      return compare(b, a) > 0 ? b : a;
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::shift_left:
    case Op::shift_right:
    case Op::common_divisor:
      return bit_operation(op, need_whole(op, a), need_whole(op, b));
    default:
      break;
  }
  if (a.is_integral() && b.is_integral()) return integer_arithmetic(op, a.integer, b.integer);
  return real_arithmetic(op, to_real(a), to_real(b));
}

}  // namespace tune::search
