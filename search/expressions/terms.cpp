// SPDX-License-Identifier: Apache-2.0
#include "search/expressions/terms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "search/expressions/scalar_functions.hpp"

namespace tune::search {

using Op = Expr::Op;

namespace {

/// A difference is a sum with an operand that is subtracted.
bool is_sum(const Expr& expr) {
  return expr.op() == Op::add || expr.op() == Op::subtract || expr.op() == Op::negate;
}

bool continues(const Expr& expr, Op op) {
  return op == Op::add ? is_sum(expr) : expr.op() == op;
}

bool is_comparison(Op op) {
  return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal ||
         op == Op::equal || op == Op::not_equal;
}

}  // namespace

Terms::Terms(std::map<std::string, std::size_t> slots, std::span<const std::vector<Scalar>> values)
    : slots_(std::move(slots)), values_(slots_.size()), versions_(slots_.size() + 1, 1) {
  for (const std::vector<Scalar>& all : values) of_parameters_.push_back(ValueRange::of(all));
  of_parameters_.resize(slots_.size());
}

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
  if (is_commutative(expr.op()) || expr.op() == Op::subtract) return add_chain(expr);
  if (is_comparison(expr.op())) return add_comparison(expr.op(), expr.operands()[0], expr.operands()[1]);
  std::vector<Id> operands;
  for (const Expr& operand : expr.operands()) {
    if (operand.op() != Op::list) {
      operands.push_back(add(operand));
      continue;
    }
    for (const Expr& choice : operand.operands()) operands.push_back(add(choice));
  }
  return add_term(expr.op(), operands);
}

void Terms::add_links(const Expr& expr, Op op, bool negative, std::vector<Link>& links) {
  if (!continues(expr, op)) {
    links.push_back({add(expr), negative});
    return;
  }
  const bool negates = expr.op() == Op::negate;
  for (std::size_t i = 0; i < expr.operands().size(); ++i)
    add_links(expr.operands()[i], op, negative != (negates || (expr.op() == Op::subtract && i == 1)), links);
}

Terms::Id Terms::add_chain(const Expr& expr) {
  const Op op = is_sum(expr) ? Op::add : expr.op();
  std::vector<Link> links;
  add_links(expr, op, false, links);
  return combined(expr, op, std::move(links));
}

Terms::Id Terms::combined(const Expr& expr, Op op, std::vector<Link> links) {
  if (any_order_is_exact(op, links)) return in_order(op, std::move(links));
  std::size_t next = 0;
  return as_written(expr, op, links, next);
}

/// `a + b <= c + d` waits for less as `a + b - c - d <= 0`.
Terms::Id Terms::add_comparison(Op op, const Expr& left, const Expr& right) {
  std::vector<Link> of_left, of_right;
  add_links(left, Op::add, false, of_left);
  add_links(right, Op::add, false, of_right);
  std::vector<Link> both = of_left;
  for (const Link& link : of_right) both.push_back({link.term, !link.negative});
  const auto depth = [this](const Link& one) { return terms_[one.term].known_from; };
  const std::uint32_t last = depth(*std::ranges::max_element(both, {}, depth));
  const auto waits = [&](const Link& one) { return depth(one) > 0 && depth(one) < last; };
  const bool wait_together = std::ranges::any_of(of_left, waits) && std::ranges::any_of(of_right, waits);
  if (wait_together && any_order_is_exact(Op::add, both))
    return add_term(op, std::array{in_order(Op::add, std::move(both)), add_literal(Value(0))});
  const Id first = combined(left, Op::add, std::move(of_left));
  return add_term(op, std::array{first, combined(right, Op::add, std::move(of_right))});
}

Terms::Id Terms::as_written(const Expr& expr, Op op, std::span<const Link> links, std::size_t& next) {
  if (!continues(expr, op)) return links[next++].term;
  Id all = as_written(expr.operands()[0], op, links, next);
  if (expr.operands().size() == 1) return add_term(expr.op(), std::array{all});
  for (std::size_t i = 1; i < expr.operands().size(); ++i) {
    const Id operand = as_written(expr.operands()[i], op, links, next);
    all = add_term(expr.op(), std::array{all, operand});
  }
  return all;
}

Terms::Id Terms::in_order(Op op, std::vector<Link> links) {
  std::ranges::stable_sort(links, {}, [this](const Link& one) { return terms_[one.term].known_from; });
  Id all = links[0].negative ? add_term(Op::negate, std::array{links[0].term}) : links[0].term;
  for (const Link& link : std::span(links).subspan(1))
    all = add_term(link.negative ? Op::subtract : op, std::array{all, link.term});
  return all;
}

bool Terms::any_order_is_exact(Op op, std::span<const Link> links) const {
  std::vector<ValueRange> ranges;
  for (const Link& link : links) ranges.push_back(ranges_[link.term]);
  return search::any_order_is_exact(op, ranges);
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
  ranges_.push_back(ValueRange::of(term.value));
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
  std::vector<ValueRange> ranges;
  if (op != Op::variable)
    for (const Id operand : operands) ranges.push_back(ranges_[operand]);
  ranges_.push_back(op == Op::variable ? of_parameters_[operands[0]] : ValueRange::of(op, ranges));
  terms_.push_back(term);
  parameters_.push_back(std::move(parameters));
  return place->second;
}

namespace {

/// The values that a number may have.
struct Between {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
};

/// Those with which the comparison with `constant` can be true.
std::optional<Between> within(Op comparison, double constant) {
  switch (comparison) {
    case Op::equal:
      return Between{constant, constant};
    case Op::less:
    case Op::less_equal:
      return Between{.highest = constant};
    case Op::greater:
    case Op::greater_equal:
      return Between{.lowest = constant};
    default:
      return std::nullopt;
  }
}

/// Those of an operand with which the result can be within `all`, whatever the other operand is.
std::optional<Between> within(Op op, const Between& all, const ValueRange& other) {
  switch (op) {
    case Op::add:
      return Between{all.lowest - other.highest, all.highest - other.lowest};
    case Op::subtract:
      return Between{all.lowest + other.lowest, all.highest + other.highest};
    case Op::multiply:
      if (other.lowest <= 0 || all.highest < 0) return std::nullopt;
      return Between{all.lowest / (all.lowest > 0 ? other.highest : other.lowest),
                     all.highest / other.lowest};
    case Op::maximum:
      return Between{.highest = all.highest};
    case Op::minimum:
      return Between{.lowest = all.lowest};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::vector<Terms::Bound> Terms::bounds(Id comparison) const {
  std::vector<Bound> bounds;
  if (!is_comparison(terms_[comparison].op) || !ranges_[comparison].computable) return bounds;
  Op op = terms_[comparison].op;
  Id part = operands(comparison)[0], other = operands(comparison)[1];
  if (terms_[part].known_from == 0) {
    std::swap(part, other);
    op = op == Op::less            ? Op::greater
         : op == Op::less_equal    ? Op::greater_equal
         : op == Op::greater       ? Op::less
         : op == Op::greater_equal ? Op::less_equal
                                   : op;
  }
  if (!ranges_[other].is_number() || ranges_[other].lowest != ranges_[other].highest) return bounds;
  auto values = within(op, ranges_[other].lowest);
  while (values && terms_[part].operands == 2 && ranges_[part].is_number()) {
    const Id last = operands(part)[1];
    if (!ranges_[last].is_number()) break;
    values = within(terms_[part].op, *values, ranges_[last]);
    const std::uint32_t known_from = terms_[part].known_from;
    part = operands(part)[0];
    if (!values || terms_[part].known_from == 0) break;
    if (terms_[part].known_from == known_from) continue;
    // Real numbers are rounded.
    const auto slack = [](double bound) { return std::isfinite(bound) ? 1e-9 * (1 + std::abs(bound)) : 0; };
    const Between wide{values->lowest - slack(values->lowest), values->highest + slack(values->highest)};
    const ValueRange& range = ranges_[part];
    if (range.lowest < wide.lowest || range.highest > wide.highest)
      bounds.push_back({part, wide.lowest, wide.highest});
  }
  return bounds;
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
    case Op::call:
      return evaluate_call(term);
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
  try {
    const bool found =
        std::ranges::any_of(all.subspan(1), [&](Id choice) { return equal(value, compute(choice).value); });
    term.value = Scalar::of(found == (term.op == Op::in));
  } catch (const ExprError&) {
    return false;
  }
  return true;
}

bool Terms::evaluate_call(Term& term) {
  std::vector<Scalar> all;
  for (const Id operand : operands(term)) {
    const Term& one = compute(operand);
    if (one.failed) return false;
    all.push_back(one.value);
  }
  try {
    term.value = call_scalar(all);
  } catch (const ExprError&) {
    return false;
  }
  return true;
}

}  // namespace tune::search
