// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/terms.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace tune::search {

using Op = Expr::Op;

Terms::Terms(std::map<std::string, std::size_t> slots)
    : slots_(std::move(slots)), values_(slots_.size()), versions_(slots_.size() + 1, 1) {}

Terms::Id Terms::add(const Expr& expr) {
  switch (expr.op()) {
    case Op::literal:
      return add_literal(expr.literal());
    case Op::variable: {
      const auto slot = slots_.find(expr.name());
      if (slot == slots_.end()) throw ExprError("'" + expr.name() + "' is not known here");
      return add_term(Op::variable, std::array{static_cast<Id>(slot->second)});
    }
    case Op::list:
      throw ExprError("a list has no value of its own");
    default:
      break;
  }
  std::vector<Id> operands;
  for (const Expr& operand : expr.operands()) {
    if (operand.op() != Op::list) {
      operands.push_back(add(operand));
      continue;
    }
    for (const Expr& choice : operand.operands()) operands.push_back(add(choice));
  }
  const bool is_chain =
      operands.size() > 2 && expr.op() != Op::conditional && expr.op() != Op::in && expr.op() != Op::not_in;
  if (!is_chain) return add_term(expr.op(), operands);
  Id sum = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) sum = add_term(expr.op(), std::array{sum, operands[i]});
  return sum;
}

Terms::Id Terms::add_literal(const Value& value) {
  // Values of different kinds are different terms, although some compare as equal.
  const char kind = value.is_bool() ? 'b' : value.is_int() ? 'i' : value.is_real() ? 'r' : 't';
  const auto [place, added] =
      literal_ids_.try_emplace(kind + value.to_string(), static_cast<Id>(terms_.size()));
  if (!added) return place->second;
  Term term;
  term.version = versions_[0];
  term.value = Scalar::of(literals_.emplace_back(value));
  terms_.push_back(term);
  parameters_.emplace_back();
  return place->second;
}

Terms::Id Terms::add_term(Op op, std::span<const Id> operands) {
  std::vector<std::uint32_t> key{static_cast<std::uint32_t>(op)};
  key.insert(key.end(), operands.begin(), operands.end());
  const auto [place, added] = ids_.try_emplace(std::move(key), static_cast<Id>(terms_.size()));
  if (!added) return place->second;
  Term term;
  term.op = op;
  term.first_operand = static_cast<std::uint32_t>(operands_.size());
  term.operands = static_cast<std::uint32_t>(operands.size());
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  std::vector<std::uint32_t> parameters;
  if (op == Op::variable) {
    parameters.push_back(operands[0]);
  } else {
    for (const Id operand : operands) {
      std::vector<std::uint32_t> all;
      std::ranges::set_union(parameters, parameters_[operand], std::back_inserter(all));
      parameters = std::move(all);
    }
  }
  term.known_from = parameters.empty() ? 0 : parameters.back() + 1;
  terms_.push_back(term);
  parameters_.push_back(std::move(parameters));
  return place->second;
}

bool Terms::evaluate(Term& term) {
  const Id* const operands = operands_.data() + term.first_operand;
  switch (term.op) {
    case Op::variable:
      term.value = values_[operands[0]];
      return true;
    case Op::logical_and:
    case Op::logical_or:
    case Op::conditional:
      return evaluate_choice(term);
    case Op::in:
    case Op::not_in:
      return evaluate_member(term);
    default:
      break;
  }
  const Term& a = compute(operands[0]);
  if (a.failed) return false;
  const Term* b = nullptr;
  if (term.operands == 2) {
    b = &compute(operands[1]);
    if (b->failed) return false;
    if (apply_quickly(term.op, a.value, b->value, term.value)) return true;
  }
  try {
    term.value = b != nullptr ? apply(term.op, a.value, b->value) : apply(term.op, a.value);
  } catch (const ExprError&) {
    return false;
  }
  return true;
}

/// Of an operation that need not compute all of its operands.
bool Terms::evaluate_choice(Term& term) {
  const Id* const operands = operands_.data() + term.first_operand;
  const Term& first = compute(operands[0]);
  if (first.failed) return false;
  const bool boolean = first.value.to_bool();
  if (term.op == Op::conditional) {
    const Term& chosen = compute(operands[boolean ? 1 : 2]);
    term.value = chosen.value;
    return !chosen.failed;
  }
  if (boolean == (term.op == Op::logical_or)) {
    term.value = Scalar::of(boolean);
    return true;
  }
  const Term& second = compute(operands[1]);
  if (!second.failed) term.value = Scalar::of(second.value.to_bool());
  return !second.failed;
}

bool Terms::evaluate_member(Term& term) {
  const std::span<const Id> all = operands(term);
  if (std::ranges::any_of(all, [this](Id operand) { return compute(operand).failed; })) return false;
  const Scalar& value = compute(all[0]).value;
  const bool found =
      std::ranges::any_of(all.subspan(1), [&](Id choice) { return equal(value, compute(choice).value); });
  term.value = Scalar::of(found == (term.op == Op::in));
  return true;
}

}  // namespace tune::search
