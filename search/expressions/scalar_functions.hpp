// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "search/expressions/scalar.hpp"

namespace tune::search {

/// A function of numbers that no operation of its own computes (Expr::Op::call).
struct ScalarFunction {
  std::string_view name;
  std::size_t min_operands, max_operands;
  /// Throws ExprError.
  Scalar (*compute)(std::span<const Scalar>);
};

std::span<const ScalarFunction> scalar_functions();

/// Returns null for another name.
const ScalarFunction* scalar_function(std::string_view name);

/// Computes a function by its name, which is the first operand. Throws ExprError.
Scalar call_scalar(std::span<const Scalar> name_and_operands);

}  // namespace tune::search
