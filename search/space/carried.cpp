// SPDX-License-Identifier: Apache-2.0
#include "search/space/carried.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "search/expressions/value_range.hpp"

namespace tune::search {
namespace {

using Op = Expr::Op;

bool is_sum(Op op) {
  return op == Op::add || op == Op::subtract || op == Op::negate;
}

bool is_truth(Op op) {
  switch (op) {
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::in:
    case Op::not_in:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
      return true;
    default:
      return false;
  }
}

/// Computes with real numbers, which is near enough to count values; NaN for other operations.
double computed(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::minimum:
      return std::min(a, b);
    case Op::maximum:
      return std::max(a, b);
    case Op::divide:
      return a / b;
    case Op::floor_divide:
      return std::floor(a / b);
    case Op::modulo:
      return a - b * std::floor(a / b);
    default:
      return std::nan("");
  }
}

/// All values of the operation; empty where they are too many or not known.
std::vector<double> combined(Op op, const std::vector<double>& a, const std::vector<double>& b) {
  constexpr std::size_t most = 1 << 14;
  std::vector<double> values;
  if (a.size() * b.size() > most) return values;
  for (const double x : a)
    for (const double y : b) values.push_back(computed(op, x, y));
  if (std::ranges::any_of(values, [](double value) { return !std::isfinite(value); })) return {};
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

Carried::Carried(const SpaceDefinition& definition, const std::map<std::string, std::size_t>& slots,
                 const std::vector<double>& weights, const Expr& rule)
    : definition_(definition), slots_(slots), weights_(weights), root_(node_of(rule)) {}

Carried::Node Carried::node_of(const Expr& expr) const {
  Node node;
  node.op = expr.op();
  const auto add_value = [&node](const Value& value) {
    if (!value.is_text()) node.values.push_back(value.as_real());
  };
  if (expr.op() == Op::literal) {
    add_value(expr.literal());
  } else if (expr.op() == Op::variable) {
    if (const auto slot = slots_.find(expr.name()); slot != slots_.end()) {
      node.parameters = {slot->second};
      for (const Value& value : definition_.parameters[slot->second].values) add_value(value);
      if (node.values.size() < definition_.parameters[slot->second].values.size()) node.values.clear();
      std::ranges::sort(node.values);
    } else if (const auto constant = definition_.constants.find(expr.name());
               constant != definition_.constants.end()) {
      add_value(constant->second);
    }
  } else if (is_sum(expr.op()) || is_commutative(expr.op())) {
    node.chain = true;
    node.op = is_sum(expr.op()) ? Op::add : expr.op();
    add_operands(expr, node.op, false, node.operands);
  } else if (is_truth(expr.op()) && expr.operands().size() == 2 && expr.operands()[1].op() != Op::list) {
    if (std::ranges::any_of(expr.operands(), [](const Expr& side) { return is_sum(side.op()); })) {
      Node& both = node.operands.emplace_back();
      both.op = Op::add;
      both.chain = true;
      add_operands(expr.operands()[0], Op::add, false, both.operands);
      add_operands(expr.operands()[1], Op::add, true, both.operands);
      count_values(both);
    } else {
      for (const Expr& side : expr.operands()) node.operands.push_back(node_of(side));
      limit_products(node);
    }
  } else {
    for (const Expr& operand : expr.operands()) node.operands.push_back(node_of(operand));
  }
  count_values(node);
  return node;
}

void Carried::add_operands(const Expr& expr, Op op, bool negative, std::vector<Node>& operands) const {
  const bool goes_on = op == Op::add ? is_sum(expr.op()) : expr.op() == op;
  if (!goes_on) {
    Node node = node_of(expr);
    if (negative) {
      std::ranges::reverse(node.values);
      for (double& value : node.values) value = -value;
    }
    operands.push_back(std::move(node));
    return;
  }
  const bool negates = expr.op() == Op::negate;
  for (std::size_t i = 0; i < expr.operands().size(); ++i)
    add_operands(expr.operands()[i], op, negative != (negates || (expr.op() == Op::subtract && i == 1)),
                 operands);
}

double Carried::weight_of(const std::vector<std::size_t>& parameters) const {
  return std::accumulate(parameters.begin(), parameters.end(), 0.0,
                         [this](double sum, std::size_t p) { return sum + weights_[p]; });
}

/// The parts of a product of whole numbers from 1 on that is at most a number have no more values than that.
void Carried::limit_products(Node& comparison) {
  const bool is_swapped = comparison.op == Op::greater || comparison.op == Op::greater_equal;
  if (!is_swapped && comparison.op != Op::less && comparison.op != Op::less_equal &&
      comparison.op != Op::equal)
    return;
  Node &product = comparison.operands[is_swapped ? 1 : 0], &most = comparison.operands[is_swapped ? 0 : 1];
  if (!most.parameters.empty() || most.values.size() != 1 || !product.chain || product.op != Op::multiply)
    return;
  const auto is_whole = [](double value) { return value >= 1 && value == std::floor(value); };
  for (const Node& operand : product.operands)
    if (operand.values.empty() || !std::ranges::all_of(operand.values, is_whole)) return;
  const double limit = std::log2(std::max(1.0, most.values.front()));
  for (auto& [weight, count] : product.growth) count = std::min(count, limit);
  product.count = std::min(product.count, limit);
}

/// Finds the parameters and the number of values from those of the operands.
void Carried::count_values(Node& node) const {
  for (const Node& operand : node.operands) {
    std::vector<std::size_t> all;
    std::ranges::set_union(node.parameters, operand.parameters, std::back_inserter(all));
    node.parameters = std::move(all);
  }
  const double most = is_truth(node.op) ? 1 : weight_of(node.parameters);
  if (!node.chain) {
    if (node.operands.size() == 2 && !is_truth(node.op))
      node.values = combined(node.op, node.operands[0].values, node.operands[1].values);
    node.count = node.values.empty() ? most : std::log2(static_cast<double>(node.values.size()));
    node.count = std::min(node.count, most);
    return;
  }
  std::vector<std::size_t> parameters;
  double growth = 1;  // of the number of values with a parameter's, where they are too many to list
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const Node& operand = node.operands[i];
    node.values = i == 0 ? operand.values : combined(node.op, node.values, operand.values);
    const double before = weight_of(parameters);
    std::vector<std::size_t> all;
    std::ranges::set_union(parameters, operand.parameters, std::back_inserter(all));
    parameters = std::move(all);
    const double weight = weight_of(parameters);
    const double last = node.growth.empty() ? 0 : node.growth.back().second;
    double count = last + growth * (weight - before);
    if (!node.values.empty()) {
      count = std::log2(static_cast<double>(node.values.size()));
      if (weight > before && i > 0) growth = (count - last) / (weight - before);
    }
    count = std::min({count, weight, is_truth(node.op) ? 1.0 : weight});
    node.growth.emplace_back(weight, std::max(count, last));
  }
  node.count = std::min(most, node.growth.back().second);
}

void Carried::gather(const Node& node, const std::vector<bool>& known, std::vector<bool>& carried,
                     std::vector<Item>& items) const {
  const auto is_known = [&known](std::size_t p) { return known[p]; };
  if (std::ranges::none_of(node.parameters, is_known)) return;
  if (std::ranges::all_of(node.parameters, is_known)) {
    if (node.op == Op::variable)
      carried[node.parameters[0]] = true;
    else
      items.push_back({node.parameters, node.count});
    return;
  }
  std::vector<std::size_t> together;
  for (const Node& operand : node.operands) {
    if (!node.chain || !std::ranges::all_of(operand.parameters, is_known)) {
      gather(operand, known, carried, items);
      continue;
    }
    std::vector<std::size_t> all;
    std::ranges::set_union(together, operand.parameters, std::back_inserter(all));
    together = std::move(all);
  }
  if (together.empty()) return;
  const double weight = weight_of(together);
  items.push_back({std::move(together), weight, &node.growth});
}

double Carried::Item::values(double weight) const {
  if (growth == nullptr) return std::min(most, weight);
  // Between two numbers of operands whose values were counted.
  std::pair<double, double> last{0, 0};
  for (const auto& next : *growth) {
    if (next.first >= weight && next.first > last.first)
      return std::min(weight, last.second + (next.second - last.second) * (weight - last.first) /
                                                (next.first - last.first));
    last = next;
  }
  return weight;
}

}  // namespace tune::search
