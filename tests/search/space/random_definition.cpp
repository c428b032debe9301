// SPDX-License-Identifier: Apache-2.0
#include "tests/search/space/random_definition.hpp"

#include <algorithm>

namespace tune::search::testing {

namespace {

using Op = Expr::Op;

template<class T>
const T& pick(Random& random, const std::vector<T>& choices) {
  return choices[random.below(choices.size())];
}

Expr random_literal(Random& random, bool wild) {
  const auto small = static_cast<std::int64_t>(random.below(8)) - (wild ? 3 : 0);
  switch (random.below(wild ? 6 : 8)) {
    case 0:
      return Expr(static_cast<double>(small) / 2.0);
    case 1:
      return Expr(small % 2 == 0);
    case 2:
      return wild ? Expr(std::int64_t{1} << (60 + random.below(3))) : Expr(small);
    default:
      return Expr(small);
  }
}

}  // namespace

Lookup in_map(const Values& values) {
  return [&values](std::string_view name) -> const Value* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  };
}

Value random_text(Random& random) {
  return pick<Value>(random, {"direct", "fft", "tiled", "async"});
}

Expr ExprSource::number(Random& random, int depth) const {
  if (may_fail && random.below(12) == 0) {
    return texts.empty() || random.below(2) == 0 ? Expr(random_text(random)) : var(pick(random, texts));
  }
  if (depth == 0 || random.below(5) == 0) {
    return numbers.empty() || random.below(3) == 0 ? random_literal(random, may_fail)
                                                   : var(pick(random, numbers));
  }
  const auto next = [&] { return number(random, depth - 1); };
  // Never zero; reals are at least 1.
  const auto divisor = [&] { return may_fail ? next() : Expr::node(Op::absolute, {next()}) + 1; };
  switch (random.below(may_fail ? 16 : 12)) {
    case 0:
    case 1:
      return next() + next();
    case 2:
      return next() - next();
    case 3:
    case 4:
      return next() * next();
    case 5:
      return next() / divisor();
    case 6:
      return floor_div(next(), divisor());
    case 7:
      return next() % divisor();
    case 8:
      return -next();
    case 9:
      return Expr::node(Op::absolute, {next()});
    case 10:
      return random.below(2) == 0 ? min(next(), next()) : Expr::node(Op::maximum, {next(), next(), next()});
    case 11:
      return if_else(condition(random, depth - 1), next(), next());
    default: {
      constexpr Op rare[] = {Op::power,       Op::bit_and,        Op::bit_or,  Op::bit_xor, Op::shift_left,
                             Op::shift_right, Op::common_divisor, Op::bit_not, Op::round,   Op::log2};
      const Op op = rare[random.below(std::size(rare))];
      if (op == Op::bit_not || op == Op::round || op == Op::log2) return Expr::node(op, {next()});
      return Expr::node(op, {next(), next()});
    }
  }
}

Expr ExprSource::condition(Random& random, int depth) const {
  if (!texts.empty() && random.below(4) == 0) {
    const Expr text = var(pick(random, texts));
    const Expr value(random_text(random));
    if (random.below(3) == 0) return in(text, {value, Expr(random_text(random))});
    return random.below(2) == 0 ? text == value : text != value;
  }
  const int less = std::max(0, depth - 1);
  if (random.below(12) == 0) return number(random, less);
  if (depth > 0 && random.below(2) == 0) {
    switch (random.below(5)) {
      case 0:
      case 1:
        return condition(random, less) && condition(random, less);
      case 2:
      case 3:
        return condition(random, less) || condition(random, less);
      default:
        return !condition(random, less);
    }
  }
  const Expr a = number(random, less);
  const Expr b = number(random, less);
  switch (random.below(8)) {
    case 0:
      return a < b;
    case 1:
      return a <= b;
    case 2:
      return a > b;
    case 3:
      return a >= b;
    case 4:
      return a == b;
    case 5:
      return a != b;
    case 6:
      return Expr::node(Op::not_in, {a, Expr::node(Op::list, {b, 1, 2})});
    default:
      return in(a, {b, number(random, less)});
  }
}

SpaceDefinition random_definition(Random& random) {
  SpaceDefinition definition;
  definition.constants = {{"limit", static_cast<std::int64_t>(random.below(20))}};
  ExprSource source{{"limit"}, {}, false};
  const std::size_t count = 1 + random.below(5);
  for (std::size_t p = 0; p < count; ++p) {
    Parameter parameter;
    parameter.name = std::string("p") + std::to_string(p);
    const bool text = random.below(3) == 0;
    const std::size_t values = 1 + random.below(4);
    while (parameter.values.size() < values) {
      const auto number = static_cast<std::int64_t>(random.below(8));
      const Value value = text                   ? random_text(random)
                          : random.below(6) == 0 ? Value(number % 2 == 0)
                                                 : Value(number);
      if (std::ranges::find(parameter.values, value) == parameter.values.end())
        parameter.values.push_back(value);
    }
    parameter.default_value = pick(random, parameter.values);
    if (random.below(3) == 0) parameter.exists_if = source.condition(random, 1);
    (text ? source.texts : source.numbers).push_back(parameter.name);
    definition.parameters.push_back(std::move(parameter));
  }
  const std::size_t constraints = random.below(4);
  for (std::size_t c = 0; c < constraints; ++c) {
    const Expr rule = source.condition(random, 3);
    definition.constraints.push_back({rule, "rule " + std::to_string(c), random.below(3) == 0});
  }
  return definition;
}

std::string describe(const SpaceDefinition& definition) {
  std::string text = "limit=" + definition.constants.at("limit").to_string() + "\n";
  for (const Parameter& parameter : definition.parameters) {
    text += parameter.name + " in [" + list_values(parameter) + "], default " +
            parameter.default_value.to_string();
    if (parameter.exists_if) text += ", if " + parameter.exists_if->to_string();
    text += "\n";
  }
  for (const Constraint& constraint : definition.constraints) text += constraint.rule.to_string() + "\n";
  return text;
}

namespace {

bool keeps(const SpaceDefinition& definition, const Values& known) {
  return std::ranges::all_of(definition.constraints, [&known](const Constraint& constraint) {
    const auto names = constraint.rule.variables();
    const bool applies =
        std::ranges::all_of(names, [&known](const std::string& name) { return known.contains(name); });
    if (applies) return constraint.rule.evaluate(in_map(known)).as_bool();
    return !constraint.required || constraint.rule.partially_evaluate(in_map(known)) == Tribool::yes;
  });
}

void enumerate(const SpaceDefinition& definition, std::size_t p, const Values& known,
               std::vector<Values>& valid) {
  if (p == definition.parameters.size()) {
    if (keeps(definition, known)) valid.push_back(known);
    return;
  }
  const Parameter& parameter = definition.parameters[p];
  if (parameter.exists_if && parameter.exists_if->partially_evaluate(in_map(known)) != Tribool::yes) {
    enumerate(definition, p + 1, known, valid);
    return;
  }
  for (const Value& value : parameter.values) {
    Values next = known;
    next[parameter.name] = value;
    enumerate(definition, p + 1, next, valid);
  }
}

}  // namespace

std::vector<Values> brute_force(const SpaceDefinition& definition) {
  std::vector<Values> valid;
  enumerate(definition, 0, definition.constants, valid);
  for (Values& values : valid) {
    for (const auto& [name, value] : definition.constants) values.erase(name);
  }
  return valid;
}

}  // namespace tune::search::testing
