// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "search/expressions/expr.hpp"
#include "search/expressions/formula_value.hpp"

// The language of definitions, as Python has it: `[16*i for i in range(1, 17)]`, `ProblemSize[0] *
// max(filter_width)`,
// `[2**i for i in range(5) if i != 3] + [48]`. Never run as code. Constraints are the same language
// (Expr::parse): there, names are parameters without values.

namespace tune::search {

/// Returns the value of a name; null for an unknown one.
using Names = std::function<const FormulaValue*(std::string_view name)>;

/// Returns the value of `text`. Numbers, texts, True and False, lists, tuples and sets with subscripts,
/// slices and
/// `*`, comprehensions (several `for`, `if`), + - * / // % ** & | ^ ~ << >>, comparisons (chained, `in`),
/// and, or, not, `a if c else b`; C's &&, ||, ! and `c ? a : b`; the functions of formula_functions.cpp.
/// Throws ExprError with the column (from 1): what is wrong, unknown names, numbers beyond 64 bits, and lists
/// of more than a million values.
FormulaValue evaluate(std::string_view text, const Names& names);

/// Returns what is wrong, without the column, with which some of the messages begin.
std::string mistake_of(const ExprError& error);

}  // namespace tune::search
