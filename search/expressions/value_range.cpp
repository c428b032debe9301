// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/value_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tune::search {

namespace {

using Op = Expr::Op;
using Kind = ValueRange::Kind;

/// Far enough below 2^63 that rounding of the bounds themselves does not matter.
constexpr double max_integer = 0x1p62;
constexpr double max_exact = 0x1p53;
constexpr int lowest_unit = -1000;  // says nothing

constexpr ValueRange anything = {};
constexpr ValueRange truth = {Kind::integral, true, 0, 1, 0};

Kind joined(Kind a, Kind b) {
  if (a == b) return a;
  return a == Kind::any || b == Kind::any ? Kind::any : Kind::number;
}

/// The kind of what arithmetic makes of both.
Kind combined(Kind a, Kind b) {
  if (a == Kind::any || b == Kind::any) return Kind::any;
  if (a == Kind::real || b == Kind::real) return Kind::real;
  return joined(a, b);
}

ValueRange joined(const ValueRange& a, const ValueRange& b) {
  return {joined(a.kind, b.kind), a.computable && b.computable, std::min(a.lowest, b.lowest),
          std::max(a.highest, b.highest), std::min(a.unit, b.unit)};
}

/// Of whole numbers, which cannot be computed beyond 64 bits.
ValueRange whole(bool computable, double lowest, double highest) {
  if (!(lowest >= -max_integer && highest <= max_integer)) return anything;
  return {Kind::integral, computable, lowest, highest, 0};
}

/// Of numbers between two bounds.
ValueRange between(const ValueRange& a, const ValueRange& b, double lowest, double highest, int unit) {
  if (!(lowest >= -max_integer && highest <= max_integer)) return anything;
  return {combined(a.kind, b.kind), a.computable && b.computable, lowest, highest,
          std::max(unit, lowest_unit)};
}

/// True for whole numbers that may be beyond 64 bits: other operations than products and comparisons may
/// fail.
bool may_be_huge(const ValueRange& range) {
  return range.kind == Kind::integral && range.magnitude() > max_integer;
}

ValueRange product(const ValueRange& a, const ValueRange& b) {
  // Beyond 64 bits it is huge, and stays so.
  if (a.kind == Kind::integral && b.kind == Kind::integral && a.lowest >= 1 && b.lowest >= 1 &&
      a.highest * b.highest > max_integer)
    return {Kind::integral, a.computable && b.computable, a.lowest * b.lowest, a.highest * b.highest, 0};
  const double ends[] = {a.lowest * b.lowest, a.lowest * b.highest, a.highest * b.lowest,
                         a.highest * b.highest};
  return between(a, b, *std::ranges::min_element(ends), *std::ranges::max_element(ends), a.unit + b.unit);
}

ValueRange quotient(Op op, const ValueRange& a, const ValueRange& b) {
  if (a.kind != Kind::integral || b.kind != Kind::integral) return anything;
  const bool computable = a.computable && b.computable && (b.lowest > 0 || b.highest < 0);
  if (op == Op::floor_divide) return whole(computable, -a.magnitude(), a.magnitude());
  return whole(computable, std::min(0.0, b.lowest + 1), std::max(0.0, b.highest - 1));
}

ValueRange true_quotient(const ValueRange& a, const ValueRange& b) {
  if (b.lowest <= 0 && b.highest >= 0) return anything;
  const double highest = a.magnitude() / std::min(std::abs(b.lowest), std::abs(b.highest));
  if (!(highest <= max_integer)) return anything;
  return {Kind::real, a.computable && b.computable, -highest, highest, lowest_unit};
}

ValueRange power(const ValueRange& a, const ValueRange& b) {
  if (a.kind != Kind::integral || b.kind != Kind::integral || b.lowest < 0) return anything;
  const double highest = std::max(1.0, std::pow(a.magnitude(), b.highest));
  return whole(a.computable && b.computable, a.lowest < 0 ? -highest : 0, highest);
}

ValueRange bits(Op op, const ValueRange& a, const ValueRange& b) {
  if (a.kind != Kind::integral || b.kind != Kind::integral) return anything;
  const bool computable = a.computable && b.computable;
  const double magnitude = std::max(a.magnitude(), b.magnitude());
  switch (op) {
    case Op::shift_left:
      if (b.highest > 62) return anything;
      return whole(computable && b.lowest >= 0, -a.magnitude() * std::exp2(b.highest),
                   a.magnitude() * std::exp2(b.highest));
    case Op::shift_right:
      return whole(computable && b.lowest >= 0, std::min(-1.0, a.lowest), std::max(0.0, a.highest));
    case Op::common_divisor:
      return whole(computable, 0, magnitude);
    default:  // the other bits of a number are below its highest one
      return whole(computable, -2 * magnitude - 1, 2 * magnitude + 1);
  }
}

ValueRange of_one(Op op, const ValueRange& a) {
  switch (op) {
    case Op::logical_not:
      return a.computable ? truth : ValueRange{Kind::integral, false, 0, 1, 0};
    case Op::negate:
      return a.is_number() ? ValueRange{a.kind, a.computable, -a.highest, -a.lowest, a.unit} : anything;
    case Op::absolute:
      return a.is_number() ? ValueRange{a.kind, a.computable, 0, a.magnitude(), a.unit} : anything;
    case Op::bit_not:
      return a.kind == Kind::integral ? whole(a.computable, -a.highest - 1, -a.lowest - 1) : anything;
    case Op::round:
      return a.is_number() ? whole(a.computable, a.lowest - 1, a.highest + 1) : anything;
    default:
      return anything;
  }
}

/// With operands that may be huge. Two of them may be too near to each other to compare.
ValueRange of_huge(Op op, std::span<const ValueRange> operands) {
  const bool computable = std::ranges::all_of(operands, &ValueRange::computable);
  switch (op) {
    case Op::multiply:
      return operands[0].lowest >= 1 && operands[1].lowest >= 1 ? product(operands[0], operands[1])
                                                                : anything;
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal: {
      const ValueRange& other = operands[may_be_huge(operands[0]) ? 1 : 0];
      return {Kind::integral, computable && other.is_number() && other.magnitude() <= max_integer, 0, 1, 0};
    }
    case Op::logical_and:
    case Op::logical_or:
      return {Kind::integral, computable, 0, 1, 0};
    default:
      return anything;
  }
}

}  // namespace

ValueRange ValueRange::of(const Scalar& value) {
  if (value.is_text()) return {Kind::any, true, 0, 0, 0};
  if (value.is_integral()) {
    const auto number = static_cast<double>(value.integer);
    ValueRange range = whole(true, number, number);
    range.computable = true;
    return range;
  }
  int unit = 0;
  while (unit > lowest_unit && std::ldexp(value.real, -unit) != std::trunc(std::ldexp(value.real, -unit)))
    --unit;
  return {std::abs(value.real) <= max_integer ? Kind::real : Kind::any, true, value.real, value.real, unit};
}

ValueRange ValueRange::of(const std::vector<Scalar>& values) {
  if (values.empty()) return anything;
  ValueRange range = of(values.front());
  for (const Scalar& value : values) range = joined(range, of(value));
  return range;
}

ValueRange ValueRange::of(Expr::Op op, std::span<const ValueRange> operands) {
  const bool computable = std::ranges::all_of(operands, &ValueRange::computable);
  const bool numbers = std::ranges::all_of(operands, &ValueRange::is_number);
  const auto boolean = [](bool certain) { return ValueRange{Kind::integral, certain, 0, 1, 0}; };
  if (std::ranges::any_of(operands, may_be_huge)) return of_huge(op, operands);
  switch (op) {
    case Op::equal:
    case Op::not_equal:
    case Op::in:
    case Op::not_in:
    case Op::logical_and:
    case Op::logical_or:
      return boolean(computable);
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return boolean(computable && numbers);
    case Op::conditional: {
      ValueRange range = joined(operands[1], operands[2]);
      range.computable = computable;
      return range;
    }
    default:
      break;
  }
  if (operands.size() == 1) return of_one(op, operands[0]);
  if (operands.size() != 2 || !numbers) return anything;
  const ValueRange &a = operands[0], &b = operands[1];
  switch (op) {
    case Op::add:
      return between(a, b, a.lowest + b.lowest, a.highest + b.highest, std::min(a.unit, b.unit));
    case Op::subtract:
      return between(a, b, a.lowest - b.highest, a.highest - b.lowest, std::min(a.unit, b.unit));
    case Op::multiply:
      return product(a, b);
    case Op::divide:
      return true_quotient(a, b);
    case Op::floor_divide:
    case Op::modulo:
      return quotient(op, a, b);
    case Op::power:
      return power(a, b);
    case Op::minimum:
    case Op::maximum:
      return joined(a, b);
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::shift_left:
    case Op::shift_right:
    case Op::common_divisor:
      return bits(op, a, b);
    default:
      return anything;
  }
}

double ValueRange::magnitude() const {
  return std::max(std::abs(lowest), std::abs(highest));
}

bool is_commutative(Expr::Op op) {
  switch (op) {
    case Op::add:
    case Op::multiply:
    case Op::minimum:
    case Op::maximum:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::common_divisor:
    case Op::logical_and:
    case Op::logical_or:
      return true;
    default:
      return false;
  }
}

namespace {

bool all_of_kind(std::span<const ValueRange> operands, Kind kind) {
  return std::ranges::all_of(operands, [kind](const ValueRange& one) { return one.kind == kind; });
}

/// Any part of them is whole in units and has few enough of these.
bool sum_is_exact(std::span<const ValueRange> operands) {
  double sum = 0;
  int unit = 0;
  for (const ValueRange& one : operands) {
    sum += one.magnitude();
    unit = std::min(unit, one.unit);
  }
  return sum <= (all_of_kind(operands, Kind::integral) ? max_integer : std::ldexp(max_exact, unit));
}

/// Whole numbers never fail: beyond 64 bits they are huge.
bool product_is_exact(std::span<const ValueRange> operands) {
  if (all_of_kind(operands, Kind::integral)) return true;
  double product = 1;
  int unit = 0;
  for (const ValueRange& one : operands) {
    product *= std::max(1.0, one.magnitude());
    unit += one.unit;
  }
  return unit > lowest_unit && product <= std::ldexp(max_exact, unit);
}

}  // namespace

bool any_order_is_exact(Expr::Op op, std::span<const ValueRange> operands) {
  switch (op) {
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::common_divisor:
      return true;  // all of them are computed, and all have to be whole numbers
    case Op::logical_and:
    case Op::logical_or:
      return std::ranges::all_of(operands, &ValueRange::computable);
    case Op::minimum:
    case Op::maximum:  // of 1 and 1.0 the first one counts
      return (all_of_kind(operands, Kind::integral) && std::ranges::none_of(operands, may_be_huge)) ||
             all_of_kind(operands, Kind::real);
    case Op::add:
      return std::ranges::all_of(operands, &ValueRange::is_number) && sum_is_exact(operands);
    case Op::multiply:
      return std::ranges::all_of(operands, &ValueRange::is_number) && product_is_exact(operands);
    default:
      return false;
  }
}

}  // namespace tune::search
