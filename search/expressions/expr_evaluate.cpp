// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "search/expressions/expr.hpp"
#include "search/expressions/scalar.hpp"

namespace tune::search {

namespace {

using Op = Expr::Op;

Scalar evaluate_scalar(const Expr& expr, const Lookup& lookup) {
  const auto& operands = expr.operands();
  const auto operand = [&](std::size_t i) { return evaluate_scalar(operands[i], lookup); };
  switch (expr.op()) {
    case Op::literal:
      return Scalar::of(expr.literal());
    case Op::variable: {
      const Value* value = lookup(expr.name());
      if (value == nullptr) throw ExprError("'" + expr.name() + "' is not known here");
      return Scalar::of(*value);
    }
    case Op::logical_and:
      return Scalar::of(operand(0).to_bool() && operand(1).to_bool());
    case Op::logical_or:
      return Scalar::of(operand(0).to_bool() || operand(1).to_bool());
    case Op::conditional:
      return operand(0).to_bool() ? operand(1) : operand(2);
    case Op::in:
    case Op::not_in: {
      const Scalar wanted = operand(0);
      bool found = false;  // no short cut: like Python, the whole list is computed
      for (const Expr& choice : operands[1].operands()) {
        if (equal(wanted, evaluate_scalar(choice, lookup))) found = true;
      }
      return Scalar::of(found == (expr.op() == Op::in));
    }
    case Op::list:
      throw ExprError("a list has no value of its own");
    case Op::negate:
    case Op::logical_not:
    case Op::absolute:
      return apply(expr.op(), operand(0));
    default: {
      Scalar result = operand(0);
      for (std::size_t i = 1; i < operands.size(); ++i) result = apply(expr.op(), result, operand(i));
      return result;
    }
  }
}

/// What is known under an incomplete assignment: the value, or nothing where it depends on what is missing.
class PartialEvaluation {
 public:
  using Known = std::optional<Scalar>;

  explicit PartialEvaluation(const Lookup& lookup) : lookup_(lookup) {}

  Known known(const Expr& expr) const {
    switch (expr.op()) {
      case Op::literal:
        return Scalar::of(expr.literal());
      case Op::variable: {
        const Value* value = lookup_(expr.name());
        return value == nullptr ? Known{} : Scalar::of(*value);
      }
      case Op::logical_and:
        return connect(expr, false);
      case Op::logical_or:
        return connect(expr, true);
      case Op::conditional:
        return choose(expr);
      case Op::in:
      case Op::not_in:
        return member(expr);
      case Op::list:
        return std::nullopt;
      default:
        return compute(expr);
    }
  }

 private:
  /// One operand that is `decisive` settles `and` (no) and `or` (yes), whatever the other is.
  Known connect(const Expr& expr, bool decisive) const {
    const Known a = known(expr.operands()[0]);
    if (a && a->to_bool() == decisive) return Scalar::of(decisive);
    const Known b = known(expr.operands()[1]);
    if (b && b->to_bool() == decisive) return Scalar::of(decisive);
    if (a && b) return Scalar::of(!decisive);
    return std::nullopt;
  }

  Known choose(const Expr& expr) const {
    const auto& operands = expr.operands();
    if (const Known condition = known(operands[0])) return known(operands[condition->to_bool() ? 1 : 2]);
    const Known then = known(operands[1]);
    const Known otherwise = known(operands[2]);
    // Of the same kind too: 1 and 1.0 are equal but behave differently.
    if (then && otherwise && then->kind == otherwise->kind && equal(*then, *otherwise)) return then;
    return std::nullopt;
  }

  Known member(const Expr& expr) const {
    const bool positive = expr.op() == Op::in;
    const Known wanted = known(expr.operands()[0]);
    bool certain = wanted.has_value();
    for (const Expr& choice : expr.operands()[1].operands()) {
      const Known value = known(choice);
      if (wanted && value && equal(*wanted, *value)) return Scalar::of(positive);
      certain = certain && value.has_value();
    }
    if (!certain) return std::nullopt;
    return Scalar::of(!positive);
  }

  Known compute(const Expr& expr) const {
    const auto& operands = expr.operands();
    Known result = known(operands[0]);
    if (!result) return std::nullopt;
    try {
      if (operands.size() == 1) return apply(expr.op(), *result);
      for (std::size_t i = 1; i < operands.size(); ++i) {
        const Known operand = known(operands[i]);
        if (!operand) return std::nullopt;
        result = apply(expr.op(), *result, *operand);
      }
      return result;
    } catch (const ExprError&) {
      return std::nullopt;  // only a complete evaluation may complain: a short cut may never come here
    }
  }

  const Lookup& lookup_;
};

}  // namespace

Value Expr::evaluate(const Lookup& lookup) const {
  return evaluate_scalar(*this, lookup).value();
}

Tribool Expr::partially_evaluate(const Lookup& lookup) const {
  const auto known = PartialEvaluation(lookup).known(*this);
  if (!known) return Tribool::unknown;
  return known->to_bool() ? Tribool::yes : Tribool::no;
}

}  // namespace tune::search
