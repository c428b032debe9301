// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/expr_syntax.hpp"

#include <algorithm>
#include <array>

namespace tune::search {

namespace {

using Op = Expr::Op;

constexpr std::array infix_table = {
    InfixOperator{"or", Op::logical_or, Binding::logical_or},
    InfixOperator{"||", Op::logical_or, Binding::logical_or},
    InfixOperator{"and", Op::logical_and, Binding::logical_and},
    InfixOperator{"&&", Op::logical_and, Binding::logical_and},
    InfixOperator{"<", Op::less, Binding::comparison},
    InfixOperator{"<=", Op::less_equal, Binding::comparison},
    InfixOperator{">", Op::greater, Binding::comparison},
    InfixOperator{">=", Op::greater_equal, Binding::comparison},
    InfixOperator{"==", Op::equal, Binding::comparison},
    InfixOperator{"!=", Op::not_equal, Binding::comparison},
    InfixOperator{"in", Op::in, Binding::comparison},
    InfixOperator{"not in", Op::not_in, Binding::comparison},
    InfixOperator{"+", Op::add, Binding::sum},
    InfixOperator{"-", Op::subtract, Binding::sum},
    InfixOperator{"*", Op::multiply, Binding::product},
    InfixOperator{"/", Op::divide, Binding::product},
    InfixOperator{"//", Op::floor_divide, Binding::product},
    InfixOperator{"%", Op::modulo, Binding::product},
    InfixOperator{"**", Op::power, Binding::power},
};

constexpr std::array<std::string_view, 10> keywords = {"and",  "or",   "not",   "in",   "if",
                                                       "else", "True", "False", "true", "false"};

constexpr bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool continues_name(char c) {
  return starts_name(c) || (c >= '0' && c <= '9') || c == '.';
}

}  // namespace

std::span<const InfixOperator> infix_operators() {
  return infix_table;
}

const InfixOperator* infix_operator(Expr::Op op) {
  const auto* found = std::ranges::find(infix_table, op, &InfixOperator::op);
  return found == infix_table.end() ? nullptr : found;
}

const InfixOperator* infix_operator(std::string_view text) {
  const auto* found = std::ranges::find(infix_table, text, &InfixOperator::text);
  return found == infix_table.end() ? nullptr : found;
}

std::string_view symbol(Expr::Op op) {
  if (const InfixOperator* infix = infix_operator(op)) return infix->text;
  switch (op) {
    case Op::negate:
      return "-";
    case Op::logical_not:
      return "not";
    case Op::minimum:
      return "min";
    case Op::maximum:
      return "max";
    case Op::absolute:
      return "abs";
    case Op::conditional:
      return "if";
    case Op::list:
      return "[]";
    default:
      return "value";
  }
}

bool is_variable_name(std::string_view text) {
  if (text.empty() || !starts_name(text.front()) || !std::ranges::all_of(text, continues_name)) return false;
  return std::ranges::find(keywords, text) == keywords.end();
}

}  // namespace tune::search
