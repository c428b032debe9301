// SPDX-License-Identifier: Apache-2.0
// What the operators and functions of formulas compute. All throw search::ExprError.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/described/formula_value.hpp"
#include "search/expressions/expr.hpp"

namespace tune::definition {

constexpr std::size_t max_values = 1'000'000;  ///< of a list

FormulaValue arithmetic(search::Expr::Op op, const FormulaValue& a, const FormulaValue& b);
/// Numbers, texts or lists.
FormulaValue plus(const FormulaValue& a, const FormulaValue& b);
/// Numbers, or a list so many times.
FormulaValue times(const FormulaValue& a, const FormulaValue& b);
/// Numbers and texts by size, lists by equality alone.
FormulaValue compare(search::Expr::Op op, const FormulaValue& a, const FormulaValue& b);
/// From the end where `index` is negative.
FormulaValue element(const FormulaValue& list, std::int64_t index);

bool is_function(std::string_view name);
FormulaValue call_function(std::string_view name, const std::vector<FormulaValue>& arguments);

}  // namespace tune::definition
