// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/expr.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "search/expressions/expr_syntax.hpp"
#include "search/expressions/scalar.hpp"
#include "search/expressions/scalar_functions.hpp"

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
    case Op::bit_not:
    case Op::round:
    case Op::log2:
    case Op::logical_not:
    case Op::absolute:
      return count == 1;
    case Op::minimum:
    case Op::maximum:
      return count >= 2;
    case Op::call:
      return count >= 1;
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

void check_call(const std::vector<Expr>& operands) {
  const Expr& name = operands[0];
  const bool is_word = name.op() == Op::literal && name.literal().is_text();
  const ScalarFunction* function = is_word ? scalar_function(name.literal().as_text()) : nullptr;
  if (function == nullptr) throw ExprError("there is no function '" + name.to_string() + "'");
  const std::size_t count = operands.size() - 1;
  if (count < function->min_operands || count > function->max_operands)
    throw ExprError("'" + name.literal().as_text() + "' does not take " + std::to_string(count) +
                    " operands");
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

namespace {

bool is_logical(const Expr& expr) {
  return expr.op() == Op::logical_and || expr.op() == Op::logical_or;
}

}  // namespace

bool is_truth(const Expr& expr) {
  if (expr.op() == Op::literal) return expr.literal().is_bool();
  if (is_logical(expr)) return std::ranges::all_of(expr.operands(), is_truth);
  const InfixOperator* infix = infix_operator(expr.op());
  return expr.op() == Op::logical_not || (infix != nullptr && infix->binding == Binding::comparison);
}

namespace {

/// Where the value counts and not only its truth, `a or b` is `a if a else b`, and `a and b` is
/// `b if a else a`.
Expr with_value(const Expr& expr) {
  if (!is_logical(expr) || is_truth(expr)) return expr;
  const Expr first = with_value(expr.operands()[0]), second = with_value(expr.operands()[1]);
  return expr.op() == Op::logical_or ? if_else(expr.operands()[0], first, second)
                                     : if_else(expr.operands()[0], second, first);
}

/// True when only the truth of this operand counts.
bool as_truth(Op op, std::size_t operand) {
  return op == Op::logical_and || op == Op::logical_or || op == Op::logical_not ||
         (op == Op::conditional && operand == 0);
}

}  // namespace

Expr Expr::node(Op op, std::vector<Expr> operands) {
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (is_logical(operands[i]) && !as_truth(op, i)) operands[i] = with_value(operands[i]);
  if (!right_number_of_operands(op, operands.size()))
    throw ExprError("'" + std::string(symbol(op)) + "' does not take " + std::to_string(operands.size()) +
                    " operands");
  check_lists(op, operands);
  if (op == Op::call) check_call(operands);
  auto node = std::make_shared<Node>();
  node->op = op;
  for (const Expr& operand : operands) {
    node->depth = std::max(node->depth, operand.node_->depth + 1);
    node->count += operand.node_->count;
  }
  if (node->depth > max_depth) throw ExprError("the expression is deeper than " + std::to_string(max_depth));
  if (node->count > max_nodes)
    throw ExprError("the expression has more than " + std::to_string(max_nodes) + " nodes");
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

namespace {

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
    case Op::call: {
      std::vector<Scalar> all;
      for (const Expr& one : operands) all.push_back(evaluate_scalar(one, lookup));
      return call_scalar(all);
    }
    default: {
      if (operands.size() == 1) return apply(expr.op(), operand(0));
      Scalar result = operand(0);
      for (std::size_t i = 1; i < operands.size(); ++i) result = apply(expr.op(), result, operand(i));
      return result;
    }
  }
}

/// Evaluates under an incomplete assignment: to the value, or to nothing where it depends on a missing name.
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
      case Op::call:
        return call(expr);
      default:
        return compute(expr);
    }
  }

 private:
  /// A `decisive` operand settles `and` (no) and `or` (yes), whatever the other one is.
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
    // The kinds must agree too: 1 and 1.0 are equal but behave differently.
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

  Known call(const Expr& expr) const {
    std::vector<Scalar> all;
    for (const Expr& one : expr.operands()) {
      const Known value = known(one);
      if (!value) return std::nullopt;
      all.push_back(*value);
    }
    try {
      return call_scalar(all);
    } catch (const ExprError&) {
      return std::nullopt;
    }
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
  try {
    const auto known = PartialEvaluation(lookup).known(*this);
    if (!known) return Tribool::unknown;
    return known->to_bool() ? Tribool::yes : Tribool::no;
  } catch (const ExprError&) {
    return Tribool::unknown;  // two huge numbers that cannot be told apart
  }
}

namespace {

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
    case Op::bit_not:
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

std::string print_operands(const Expr& expr, std::size_t first = 0) {
  std::string text;
  for (std::size_t i = first; i < expr.operands().size(); ++i)
    text += (i == first ? "" : ", ") + print(expr.operands()[i], Binding::anything);
  return text;
}

std::string print_literal(const Value& value) {
  if (value.is_text()) return quote(value.as_text());
  if (value.is_real() && std::isinf(value.as_real())) return value.as_real() < 0 ? "-math.inf" : "math.inf";
  return value.to_string();
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
      return print_literal(expr.literal());
    case Op::variable:
      return expr.name();
    case Op::list:
      return enclose("[", print_operands(expr), "]");
    case Op::negate:
      return print_negation(operands[0]);
    case Op::bit_not:
      return enclose("~", print(operands[0], Binding::unary_minus), "");
    case Op::logical_not:
      return enclose("not ", print(operands[0], Binding::logical_not), "");
    case Op::call:
      return operands[0].literal().as_text() + enclose("(", print_operands(expr, 1), ")");
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

/// Adds parentheses where the expression binds looser than its place allows.
std::string print(const Expr& expr, Binding loosest) {
  const std::string text = print_bare(expr);
  return binding_of(expr) < loosest ? enclose("(", text, ")") : text;
}

}  // namespace

std::string Expr::to_string() const {
  return print(*this, Binding::anything);
}

}  // namespace tune::search
