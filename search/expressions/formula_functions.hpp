// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/expressions/formula_value.hpp"

namespace tune::search {

/// True for a function of formulas and constraints, with `math.`, `np.` or `numpy.` before it or without.
bool is_function(std::string_view name);

/// Throws ExprError for operands that it does not take.
FormulaValue call_function(std::string_view name, const FormulaValue::List& operands);

/// Returns `abs, all, any, ...`.
std::string names_of_functions();

/// Returns `math.pi` and the like; nothing for another name.
std::optional<double> constant_of_module(std::string_view name);
/// Returns `pi` and `inf`.
std::optional<double> constant_without_module(std::string_view name);

}  // namespace tune::search
