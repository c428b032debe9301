// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/rewrite.hpp"

#include <algorithm>

namespace tune::search {

namespace {

using Op = Expr::Op;
using Condition = std::optional<Expr>;  // nothing: always true

Condition both(Condition a, Condition b) {
  if (!a) return b;
  if (!b) return a;
  return *std::move(a) && *std::move(b);
}

Condition either(Condition a, Condition b) {
  if (!a || !b) return std::nullopt;
  return *std::move(a) || *std::move(b);
}

bool all_known(const Expr& expr, const std::set<std::string>& known) {
  if (expr.op() == Op::variable) return known.contains(expr.name());
  return std::ranges::all_of(expr.operands(),
                             [&known](const Expr& operand) { return all_known(operand, known); });
}

/// Returns the condition that follows from the expression being true (`positive`) or false.
Condition implied(const Expr& expr, const std::set<std::string>& known, bool positive) {
  if (all_known(expr, known)) return positive ? expr : !expr;
  const auto& operands = expr.operands();
  const auto from = [&known](const Expr& operand, bool boolean) { return implied(operand, known, boolean); };
  switch (expr.op()) {
    case Op::logical_not:
      return from(operands[0], !positive);
    case Op::logical_and:
    case Op::logical_or: {
      // `a and b` true, or `a or b` false: both operands are settled. Otherwise only one of them is.
      const bool settles_both = (expr.op() == Op::logical_and) == positive;
      Condition a = from(operands[0], positive);
      Condition b = from(operands[1], positive);
      return settles_both ? both(std::move(a), std::move(b)) : either(std::move(a), std::move(b));
    }
    case Op::conditional: {
      Condition then = from(operands[1], positive);
      Condition otherwise = from(operands[2], positive);
      if (!all_known(operands[0], known)) return either(std::move(then), std::move(otherwise));
      if (!then && !otherwise) return std::nullopt;
      return if_else(operands[0], then.value_or(Expr(true)), otherwise.value_or(Expr(true)));
    }
    case Op::in:
    case Op::not_in: {
      // As conjuncts_of: each choice is settled by itself.
      if ((expr.op() == Op::not_in) != positive) return std::nullopt;
      Condition all;
      for (const Expr& choice : operands[1].operands())
        all = both(std::move(all), from(Expr::node(Op::not_equal, {operands[0], choice}), true));
      return all;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

Expr replace_variables(const Expr& expr, const Replacement& replacement) {
  if (expr.op() == Op::variable) {
    const auto value = replacement(expr.name());
    return value ? Expr(*value) : expr;
  }
  if (expr.op() == Op::literal) return expr;
  std::vector<Expr> operands;
  operands.reserve(expr.operands().size());
  for (const Expr& operand : expr.operands()) operands.push_back(replace_variables(operand, replacement));
  return Expr::node(expr.op(), std::move(operands));
}

Expr replace_variables(const Expr& expr, const std::map<std::string, Value, std::less<>>& constants) {
  return replace_variables(expr, [&constants](const std::string& name) -> std::optional<Value> {
    const auto constant = constants.find(name);
    return constant == constants.end() ? std::nullopt : std::optional(constant->second);
  });
}

std::vector<Expr> conjuncts_of(const Expr& expr) {
  std::vector<Expr> parts;
  if (expr.op() == Op::logical_and) return expr.operands();
  if (expr.op() == Op::logical_not && expr.operands()[0].op() == Op::logical_or) {
    for (const Expr& part : expr.operands()[0].operands()) parts.push_back(!part);
  } else if (expr.op() == Op::logical_not && expr.operands()[0].op() == Op::in) {
    return conjuncts_of(Expr::node(Op::not_in, expr.operands()[0].operands()));
  } else if (expr.op() == Op::logical_not && expr.operands()[0].op() == Op::equal) {
    parts.push_back(Expr::node(Op::not_equal, expr.operands()[0].operands()));
  } else if (expr.op() == Op::not_in) {
    for (const Expr& choice : expr.operands()[1].operands())
      parts.push_back(Expr::node(Op::not_equal, {expr.operands()[0], choice}));
  }
  return parts;
}

std::optional<Expr> implied_by(const Expr& rule, const std::set<std::string>& known) {
  return implied(rule, known, true);
}

}  // namespace tune::search
