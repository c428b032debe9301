// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "search/expressions/expr.hpp"
#include "search/expressions/expr_syntax.hpp"

namespace tune::search {

namespace {

using Op = Expr::Op;

std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

bool is_number_literal(const Expr& expr) {
  return expr.op() == Op::literal && (expr.literal().is_int() || expr.literal().is_real());
}

bool is_negative(const Value& value) {
  return value.is_real() ? std::signbit(value.as_real()) : value.as_int() < 0;
}

Binding binding_of(const Expr& expr) {
  if (const InfixOperator* infix = infix_operator(expr.op())) return infix->binding;
  switch (expr.op()) {
    case Op::conditional:
      return Binding::conditional;
    case Op::logical_not:
      return Binding::logical_not;
    case Op::negate:
      return Binding::unary_minus;
    case Op::literal:
      return is_number_literal(expr) && is_negative(expr.literal()) ? Binding::unary_minus : Binding::primary;
    default:
      return Binding::primary;
  }
}

/// Written with `+=`: GCC 12 takes `"(" + std::string` for an overlapping copy (its bug 105651).
std::string enclose(std::string_view open, const std::string& text, std::string_view close) {
  std::string result(open);
  result += text;
  return result += close;
}

std::string print(const Expr& expr, Binding loosest);

std::string print_operands(const Expr& expr) {
  std::string text;
  for (const Expr& operand : expr.operands()) {
    if (!text.empty()) text += ", ";
    text += print(operand, Binding::anything);
  }
  return text;
}

std::string print_infix(const Expr& expr, const InfixOperator& infix) {
  // Comparisons chain and `**` groups from the right; all others group from the left.
  Binding left = infix.binding;
  Binding right = tighter(infix.binding);
  if (infix.binding == Binding::comparison) left = right;
  if (infix.binding == Binding::power) {
    left = Binding::primary;
    right = Binding::unary_minus;
  }
  return print(expr.operands()[0], left) + " " + std::string(infix.text) + " " +
         print(expr.operands()[1], right);
}

std::string print_negation(const Expr& operand) {
  // `-5` is a literal, `-(5)` the negation of one.
  if (is_number_literal(operand) && !is_negative(operand.literal()))
    return enclose("-(", operand.to_string(), ")");
  return enclose("-", print(operand, Binding::unary_minus), "");
}

std::string print_bare(const Expr& expr) {
  const auto& operands = expr.operands();
  switch (expr.op()) {
    case Op::literal:
      return expr.literal().is_text() ? quote(expr.literal().as_text()) : expr.literal().to_string();
    case Op::variable:
      return expr.name();
    case Op::list:
      return enclose("[", print_operands(expr), "]");
    case Op::negate:
      return print_negation(operands[0]);
    case Op::logical_not:
      return enclose("not ", print(operands[0], Binding::logical_not), "");
    case Op::conditional:
      return print(operands[1], tighter(Binding::conditional)) + " if " +
             print(operands[0], tighter(Binding::conditional)) + " else " +
             print(operands[2], Binding::conditional);
    default:
      break;
  }
  if (const InfixOperator* infix = infix_operator(expr.op())) return print_infix(expr, *infix);
  return std::string(symbol(expr.op())) + "(" + print_operands(expr) + ")";
}

/// In parentheses where it binds looser than its place allows.
std::string print(const Expr& expr, Binding loosest) {
  const std::string text = print_bare(expr);
  return binding_of(expr) < loosest ? enclose("(", text, ")") : text;
}

}  // namespace

std::string Expr::to_string() const {
  return print(*this, Binding::anything);
}

}  // namespace tune::search
