// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/expressions/expr.hpp"

namespace tune::search {

/// The value that takes the place of a variable; nothing where the variable stays.
using Replacement = std::function<std::optional<Value>(const std::string& name)>;

/// Returns the expression with literals in place of some variables.
Expr replace_variables(const Expr& expr, const Replacement& replacement);
Expr replace_variables(const Expr& expr, const std::map<std::string, Value, std::less<>>& constants);

/// Returns expressions that together say the same as this one: both sides of `and`, `not a` and `not b` of
/// `not (a or b)`, `a != b` and `a != c` of `a not in [b, c]`. Empty where there are none.
std::vector<Expr> conjuncts_of(const Expr& expr);

/// Returns the strongest condition over the variables in `known` alone that follows from `rule`, whatever the
/// other variables are, or nothing where none follows. Where it is false the rule is false for every
/// completion, so a space under construction can leave the branch. `a < 4 and b < a` becomes `a < 4` once `a`
/// is known.
///
/// Evaluating it may fail where `rule` would not (a short cut by a variable that is not known yet): a failure
/// must be taken for "nothing follows".
std::optional<Expr> implied_by(const Expr& rule, const std::set<std::string>& known);

}  // namespace tune::search
