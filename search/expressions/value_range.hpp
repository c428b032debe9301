// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/expressions/expr.hpp"
#include "search/expressions/scalar.hpp"

namespace tune::search {

/// What the values of a part of an expression are for all assignments, as far as that follows from the values
/// of the parameters. What it says is certain; it may say less than is true.
struct ValueRange {
  enum class Kind : std::uint8_t { integral, real, number, any };  ///< a truth value is integral

  Kind kind = Kind::any;
  bool computable = false;  ///< no assignment makes it fail
  double lowest = 0, highest = 0;
  int unit = 0;  ///< all of them are multiples of 2^unit; 0 at most

  static ValueRange of(const Scalar& value);
  /// Of one of several values.
  static ValueRange of(const std::vector<Scalar>& values);
  /// Of an operation.
  static ValueRange of(Expr::Op op, std::span<const ValueRange> operands);

  double magnitude() const;
  bool is_number() const { return kind != Kind::any; }
};

/// True for operations whose operands may be grouped and ordered in any way where these are exact.
bool is_commutative(Expr::Op op);

/// True when neither the value nor a failure changes with the order in which the operands are combined.
bool any_order_is_exact(Expr::Op op, std::span<const ValueRange> operands);

}  // namespace tune::search
