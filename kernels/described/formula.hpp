// SPDX-License-Identifier: Apache-2.0
// The expressions of a definition's file, as Python has them: `[16*i for i in range(1, 17)]`,
// `ProblemSize[0] * max(filter_width)`, `[2**i for i in range(5) if i != 3] + [48]`. Never run as code.
#pragma once

#include <functional>
#include <string_view>

#include "kernels/described/formula_value.hpp"
#include "search/expressions/expr.hpp"

namespace tune::definition {

/// The value of a name; null for one that is not known.
using Names = std::function<const FormulaValue*(std::string_view name)>;

/// The value of `text`. Numbers, texts, True and False, lists and tuples with subscripts, list comprehensions
/// (several `for`, `if`), + - * / // % **, comparisons (chained, `in`), and, or, not, `a if c else b`; the
/// functions abs, all, any, arange, bool, ceil, ceil_div, floor, float, int, len, list, log2, max, min, pow,
/// prod, range, round, sorted, sqrt, sum, tuple, with `math.` or `np.` before them or without; C's &&, ||, !
/// and `c ? a : b`. Division and remainder are Python's. Throws search::ExprError with the column (from 1):
/// what is wrong, unknown names, numbers beyond 64 bits, and lists of more than a million values.
FormulaValue evaluate(std::string_view text, const Names& names);

}  // namespace tune::definition
