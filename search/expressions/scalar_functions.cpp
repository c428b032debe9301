// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/scalar_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>

namespace tune::search {
namespace {

using Operands = std::span<const Scalar>;

constexpr std::size_t many = 1000;

__extension__ using wide_integer = __int128;

double real(const Scalar& a) {
  if (a.is_text()) throw ExprError("'" + *a.text + "' is a text, but a number is needed");
  if (a.is_huge()) throw ExprError("a number beyond 64-bit integers");
  return a.is_real() ? a.real : static_cast<double>(a.integer);
}

std::int64_t whole(const Scalar& a) {
  if (a.is_integral()) return a.integer;
  throw ExprError("whole numbers are needed");
}

[[noreturn]] void fail_overflow() {
  throw ExprError("the result is beyond 64-bit integers");
}

Scalar finite(double result) {
  if (!std::isfinite(result)) throw ExprError("the result is not finite");
  return Scalar::of(result);
}

template<double (*compute)(double)>
Scalar of_one(Operands all) {
  return finite(compute(real(all[0])));
}

template<double (*compute)(double, double)>
Scalar of_two(Operands all) {
  return finite(compute(real(all[0]), real(all[1])));
}

double positive(const Scalar& a) {
  const double value = real(a);
  if (!(value > 0)) throw ExprError("the logarithm of a number that is not positive");
  return value;
}

Scalar logarithm(Operands all) {
  const double value = std::log(positive(all[0]));
  if (all.size() == 1) return finite(value);
  const double base = std::log(positive(all[1]));
  if (base == 0) throw ExprError("a logarithm to the base 1");
  return finite(value / base);
}

Scalar common_multiple(Operands all) {
  std::int64_t multiple = 1;
  for (const Scalar& one : all) {
    const std::int64_t number = whole(one);
    if (number == 0) return Scalar::of(std::int64_t{0});
    if (number == std::numeric_limits<std::int64_t>::min()) fail_overflow();
    const std::int64_t factor = std::abs(number) / std::gcd(multiple, number);
    if (__builtin_mul_overflow(multiple, factor, &multiple)) fail_overflow();
  }
  return Scalar::of(multiple);
}

Scalar whole_root(Operands all) {
  const std::int64_t number = whole(all[0]);
  if (number < 0) throw ExprError("the square root of a negative number");
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(number)));
  while (root > 0 && root > number / root) --root;
  while (root + 1 <= number / (root + 1)) ++root;
  return Scalar::of(root);
}

Scalar truncated(Operands all) {
  const double value = std::trunc(real(all[0]));
  if (all[0].is_integral()) return Scalar::of(all[0].integer);
  if (!(std::abs(value) < 0x1p63)) fail_overflow();
  return Scalar::of(static_cast<std::int64_t>(value));
}

Scalar factorial(Operands all) {
  const std::int64_t number = whole(all[0]);
  if (number < 0) throw ExprError("the factorial of a negative number");
  std::int64_t product = 1;
  for (std::int64_t i = 2; i <= number; ++i)
    if (__builtin_mul_overflow(product, i, &product)) fail_overflow();
  return Scalar::of(product);
}

Scalar combinations(Operands all) {
  const std::int64_t number = whole(all[0]);
  std::int64_t chosen = whole(all[1]);
  if (number < 0 || chosen < 0) throw ExprError("combinations of a negative number");
  if (chosen > number) return Scalar::of(std::int64_t{0});
  chosen = std::min(chosen, number - chosen);
  std::int64_t count = 1;
  for (std::int64_t i = 1; i <= chosen; ++i) {
    const wide_integer next = static_cast<wide_integer>(count) * (number - chosen + i) / i;
    if (next > std::numeric_limits<std::int64_t>::max()) fail_overflow();
    count = static_cast<std::int64_t>(next);
  }
  return Scalar::of(count);
}

/// To a multiple of a power of ten, halves to the even one.
Scalar rounded_whole(std::int64_t number, std::int64_t digits) {
  if (digits >= 0) return Scalar::of(number);
  if (digits < -18) return Scalar::of(std::int64_t{0});
  std::int64_t unit = 1;
  for (; digits < 0; ++digits) unit *= 10;
  std::int64_t count = number / unit;
  const std::int64_t rest = number % unit, half = unit / 2;
  if (std::abs(rest) > half || (std::abs(rest) == half && count % 2 != 0)) count += number < 0 ? -1 : 1;
  if (__builtin_mul_overflow(count, unit, &count)) fail_overflow();
  return Scalar::of(count);
}

/// Python rounds the exact value of the number, as printing does.
Scalar rounded(Operands all) {
  const std::int64_t digits = whole(all[1]);
  if (all[0].is_integral()) return rounded_whole(all[0].integer, digits);
  const double number = real(all[0]);
  if (digits > 300) return Scalar::of(number);
  if (digits < 0) {
    const double unit = std::pow(10.0, static_cast<double>(std::min<std::int64_t>(-digits, 308)));
    return finite(std::nearbyint(number / unit) * unit);
  }
  std::array<char, 1024> text{};
  std::snprintf(text.data(), text.size(), "%.*f", static_cast<int>(digits), number);
  return finite(std::strtod(text.data(), nullptr));
}

Scalar modular_power(Operands all) {
  wide_integer base = whole(all[0]);
  std::int64_t exponent = whole(all[1]);
  const std::int64_t modulus = whole(all[2]);
  if (modulus == 0) throw ExprError("division by zero in 'pow'");
  if (exponent < 0) throw ExprError("a negative exponent in a power with three operands");
  wide_integer result = 1;
  for (base %= modulus; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result * base % modulus;
    base = base * base % modulus;
  }
  result %= modulus;
  if (result != 0 && (result < 0) != (modulus < 0)) result += modulus;
  return Scalar::of(static_cast<std::int64_t>(result));
}

Scalar remainder_as_in_c(Operands all) {
  if (real(all[1]) == 0) throw ExprError("division by zero in 'fmod'");
  return finite(std::fmod(real(all[0]), real(all[1])));
}

constexpr std::array table = {
    ScalarFunction{"acos", 1, 1, of_one<std::acos>},
    ScalarFunction{"asin", 1, 1, of_one<std::asin>},
    ScalarFunction{"atan", 1, 1, of_one<std::atan>},
    ScalarFunction{"atan2", 2, 2, of_two<std::atan2>},
    ScalarFunction{"cbrt", 1, 1, of_one<std::cbrt>},
    ScalarFunction{"comb", 2, 2, combinations},
    ScalarFunction{"copysign", 2, 2, of_two<std::copysign>},
    ScalarFunction{"cos", 1, 1, of_one<std::cos>},
    ScalarFunction{"exp", 1, 1, of_one<std::exp>},
    ScalarFunction{"factorial", 1, 1, factorial},
    ScalarFunction{"fmod", 2, 2, remainder_as_in_c},
    ScalarFunction{"hypot", 2, 2, of_two<std::hypot>},
    ScalarFunction{"isqrt", 1, 1, whole_root},
    ScalarFunction{"lcm", 0, many, common_multiple},
    ScalarFunction{"log", 1, 2, logarithm},
    ScalarFunction{"log10", 1, 1, [](Operands all) { return finite(std::log10(positive(all[0]))); }},
    ScalarFunction{"pow", 3, 3, modular_power},  // of two operands: an operation
    ScalarFunction{"round", 2, 2, rounded},      // of one operand: an operation
    ScalarFunction{"sin", 1, 1, of_one<std::sin>},
    ScalarFunction{"tan", 1, 1, of_one<std::tan>},
    ScalarFunction{"tanh", 1, 1, of_one<std::tanh>},
    ScalarFunction{"trunc", 1, 1, truncated},
};

}  // namespace

std::span<const ScalarFunction> scalar_functions() {
  return table;
}

const ScalarFunction* scalar_function(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &ScalarFunction::name);
  return found == table.end() ? nullptr : found;
}

Scalar call_scalar(std::span<const Scalar> name_and_operands) {
  return scalar_function(*name_and_operands.front().text)->compute(name_and_operands.subspan(1));
}

}  // namespace tune::search
