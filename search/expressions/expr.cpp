// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/expr.hpp"

#include <algorithm>

#include "search/expressions/expr_syntax.hpp"

namespace tune::search {

struct Expr::Node {
  Op op = Op::literal;
  Value value;       // of a literal
  std::string name;  // of a variable
  std::vector<Expr> operands;
  std::size_t depth = 1;
  std::size_t count = 1;  // of nodes, shared ones counted each time
};

namespace {

using Op = Expr::Op;

constexpr std::size_t max_depth = 1'000;
constexpr std::size_t max_nodes = 100'000;

bool right_number_of_operands(Op op, std::size_t count) {
  switch (op) {
    case Op::literal:
    case Op::variable:
      return false;
    case Op::list:
      return true;
    case Op::negate:
    case Op::logical_not:
    case Op::absolute:
      return count == 1;
    case Op::minimum:
    case Op::maximum:
      return count >= 2;
    case Op::conditional:
      return count == 3;
    default:
      return count == 2;
  }
}

void check_lists(Op op, const std::vector<Expr>& operands) {
  const bool membership = op == Op::in || op == Op::not_in;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool expected = membership && i == 1;
    if ((operands[i].op() == Op::list) == expected) continue;
    throw ExprError(expected ? "expected a list, such as [1, 2], right of 'in'"
                             : "a list can only stand right of 'in'");
  }
}

void collect_variables(const Expr& expr, std::set<std::string>& names) {
  if (expr.op() == Op::variable) names.insert(expr.name());
  for (const Expr& operand : expr.operands()) collect_variables(operand, names);
}

}  // namespace

Expr::Expr(Value literal) {
  auto node = std::make_shared<Node>();
  node->value = std::move(literal);
  node_ = std::move(node);
}

Expr::Expr(int literal) : Expr(Value(literal)) {}
Expr::Expr(std::int64_t literal) : Expr(Value(literal)) {}
Expr::Expr(bool literal) : Expr(Value(literal)) {}
Expr::Expr(double literal) : Expr(Value(literal)) {}
Expr::Expr(const char* literal) : Expr(Value(literal)) {}
Expr::Expr(std::string literal) : Expr(Value(std::move(literal))) {}

Expr Expr::variable(std::string name) {
  if (!is_variable_name(name)) throw ExprError("'" + name + "' cannot be the name of a variable");
  auto node = std::make_shared<Node>();
  node->op = Op::variable;
  node->name = std::move(name);
  return Expr(std::shared_ptr<const Node>(std::move(node)));
}

Expr Expr::node(Op op, std::vector<Expr> operands) {
  if (!right_number_of_operands(op, operands.size())) {
    throw ExprError("'" + std::string(symbol(op)) + "' does not take " + std::to_string(operands.size()) +
                    " operands");
  }
  check_lists(op, operands);
  auto node = std::make_shared<Node>();
  node->op = op;
  for (const Expr& operand : operands) {
    node->depth = std::max(node->depth, operand.node_->depth + 1);
    node->count += operand.node_->count;
  }
  if (node->depth > max_depth) throw ExprError("the expression is deeper than " + std::to_string(max_depth));
  if (node->count > max_nodes) {
    throw ExprError("the expression has more than " + std::to_string(max_nodes) + " nodes");
  }
  node->operands = std::move(operands);
  return Expr(std::shared_ptr<const Node>(std::move(node)));
}

std::set<std::string> Expr::variables() const {
  std::set<std::string> names;
  collect_variables(*this, names);
  return names;
}

bool Expr::same_as(const Expr& other) const {
  if (node_ == other.node_) return true;
  if (node_->op != other.node_->op || node_->name != other.node_->name ||
      !(node_->value == other.node_->value)) {
    return false;
  }
  return std::ranges::equal(node_->operands, other.node_->operands,
                            [](const Expr& a, const Expr& b) { return a.same_as(b); });
}

Expr::Op Expr::op() const {
  return node_->op;
}
const std::vector<Expr>& Expr::operands() const {
  return node_->operands;
}

const Value& Expr::literal() const {
  if (op() != Op::literal) throw std::logic_error("the node is not a literal: " + to_string());
  return node_->value;
}

const std::string& Expr::name() const {
  if (op() != Op::variable) throw std::logic_error("the node is not a variable: " + to_string());
  return node_->name;
}

namespace {
Expr binary(Op op, Expr a, Expr b) {
  return Expr::node(op, {std::move(a), std::move(b)});
}
}  // namespace

Expr operator+(Expr a, Expr b) {
  return binary(Op::add, std::move(a), std::move(b));
}
Expr operator-(Expr a, Expr b) {
  return binary(Op::subtract, std::move(a), std::move(b));
}
Expr operator-(Expr a) {
  return Expr::node(Op::negate, {std::move(a)});
}
Expr operator*(Expr a, Expr b) {
  return binary(Op::multiply, std::move(a), std::move(b));
}
Expr operator/(Expr a, Expr b) {
  return binary(Op::divide, std::move(a), std::move(b));
}
Expr operator%(Expr a, Expr b) {
  return binary(Op::modulo, std::move(a), std::move(b));
}
Expr operator<(Expr a, Expr b) {
  return binary(Op::less, std::move(a), std::move(b));
}
Expr operator<=(Expr a, Expr b) {
  return binary(Op::less_equal, std::move(a), std::move(b));
}
Expr operator>(Expr a, Expr b) {
  return binary(Op::greater, std::move(a), std::move(b));
}
Expr operator>=(Expr a, Expr b) {
  return binary(Op::greater_equal, std::move(a), std::move(b));
}
Expr operator==(Expr a, Expr b) {
  return binary(Op::equal, std::move(a), std::move(b));
}
Expr operator!=(Expr a, Expr b) {
  return binary(Op::not_equal, std::move(a), std::move(b));
}
Expr operator&&(Expr a, Expr b) {
  return binary(Op::logical_and, std::move(a), std::move(b));
}
Expr operator||(Expr a, Expr b) {
  return binary(Op::logical_or, std::move(a), std::move(b));
}
Expr operator!(Expr a) {
  return Expr::node(Op::logical_not, {std::move(a)});
}
Expr floor_div(Expr a, Expr b) {
  return binary(Op::floor_divide, std::move(a), std::move(b));
}
Expr ceil_div(Expr a, Expr b) {
  return -floor_div(-std::move(a), std::move(b));
}
Expr min(Expr a, Expr b) {
  return binary(Op::minimum, std::move(a), std::move(b));
}
Expr max(Expr a, Expr b) {
  return binary(Op::maximum, std::move(a), std::move(b));
}
Expr in(Expr a, std::vector<Expr> choices) {
  return binary(Op::in, std::move(a), Expr::node(Op::list, std::move(choices)));
}
Expr if_else(Expr condition, Expr then, Expr otherwise) {
  return Expr::node(Op::conditional, {std::move(condition), std::move(then), std::move(otherwise)});
}

}  // namespace tune::search
