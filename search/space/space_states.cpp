// SPDX-License-Identifier: Apache-2.0
#include "search/space/space_states.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>

#include "search/expressions/rewrite.hpp"

namespace tune::search {
namespace {

using Op = Expr::Op;

// The first words that a part adds. Whole numbers that fit have an odd word of their own, so that no two
// different sequences of parts become the same words.
constexpr std::uint32_t part_muted = 0, part_no = 2, part_yes = 4, part_other = 6, part_failed = 8;

void add_scalar(const Scalar& scalar, std::vector<std::uint32_t>& words) {
  constexpr std::int64_t small = std::int64_t{1} << 30;
  if (scalar.kind == Scalar::Kind::integer && scalar.integer < small && scalar.integer >= -small) {
    words.push_back((static_cast<std::uint32_t>(scalar.integer) << 1U) | 1U);
    return;
  }
  // A text is identified by its address: equal texts at two addresses count as different, which is never
  // wrong.
  const std::uint64_t bits = scalar.is_real() || scalar.is_huge() ? std::bit_cast<std::uint64_t>(scalar.real)
                             : scalar.is_text()
                                 ? static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(scalar.text))
                                 : static_cast<std::uint64_t>(scalar.integer);
  words.push_back(part_other);
  words.push_back(static_cast<std::uint32_t>(scalar.kind));
  words.push_back(static_cast<std::uint32_t>(bits));
  words.push_back(static_cast<std::uint32_t>(bits >> 32U));
}

std::uint32_t choice_of(std::size_t parameter, const Assignment& assignment) {
  return assignment.exists[parameter] != 0 ? assignment.indices[parameter] + 1 : 0;
}

std::size_t last_of(const std::vector<std::size_t>& parameters) {
  return parameters.empty() ? 0 : std::ranges::max(parameters) + 1;
}

}  // namespace

SpaceStates::SpaceStates(const SpaceDefinition& definition, const std::vector<std::vector<Scalar>>& values,
                         Terms& terms)
    : definition_(definition), values_(values), terms_(terms), constants_(definition.constants) {
  const std::vector<Parameter>& parameters = definition.parameters;
  for (std::size_t p = 0; p < parameters.size(); ++p) slots_[parameters[p].name] = p;
  for (const Parameter& parameter : parameters) {
    decision_depth_.push_back(parameter.exists_if ? last_of(mentioned(*parameter.exists_if)) : 0);
    if (parameter.values.size() == 1 && !parameter.exists_if)
      constants_.emplace(parameter.name, parameter.values.front());
  }
  for (const Constraint& constraint : definition.constraints) add_rules(constraint, constraint.rule);
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if (parameters[p].exists_if) conditions_.emplace(p, rule_of(nullptr, *parameters[p].exists_if));
  levels_.resize(parameters.size());
  for (std::size_t depth = 0; depth < parameters.size(); ++depth) {
    plan(depth);
    group(depth);
  }
}

/// `a and b` is two constraints, where both apply in any case, and `a not in [b, c]` is `a != b and a != c`.
void SpaceStates::add_rules(const Constraint& constraint, const Expr& expr) {
  const auto all = mentioned(expr);
  const bool applies = std::ranges::none_of(all, [this](std::size_t p) { return is_conditional(p); });
  const auto parts = applies ? conjuncts_of(expr) : std::vector<Expr>();
  if (parts.empty()) {
    rules_.push_back(rule_of(&constraint, expr));
    return;
  }
  for (const Expr& part : parts) add_rules(constraint, part);
}

SpaceStates::Rule SpaceStates::rule_of(const Constraint* constraint, const Expr& expr) {
  auto all = mentioned(expr);
  const std::size_t last = last_of(all);
  Expr reduced = replace_variables(expr, constants_);
  const Terms::Id term = terms_.add(reduced);
  return {constraint, std::move(reduced), term, std::move(all), last};
}

/// The answers of rules say no more than sets of values do, where all rules wait for few values.
void SpaceStates::plan(std::size_t depth) {
  if (plan(depth, true)) return;
  Level with_rests = std::move(levels_[depth]);
  if (!plan(depth, false)) levels_[depth] = std::move(with_rests);
}

bool SpaceStates::plan(std::size_t depth, bool with_rests) {
  // Constraints that need the same conditional parameters are skipped together.
  std::map<std::vector<std::size_t>, std::vector<const Rule*>> by_decided;
  for (const Rule& rule : rules_)
    if (rule.last > depth) by_decided[decided_by(rule, depth)].push_back(&rule);
  const bool conditional =
      std::ranges::any_of(by_decided, [](const auto& one) { return !one.first.empty(); });
  if (conditional && !with_rests) return false;
  levels_[depth] = {};
  Level& level = levels_[depth];
  Uses uses;
  for (const Rule* rule : by_decided[{}]) {
    added_.clear();
    add_rule(*rule, {}, depth, with_rests);
    uses.emplace_back(rule, added_);
  }
  const std::size_t always = level.parts.all.size();
  for (const auto& [decided, rules] : by_decided) {
    if (decided.empty()) continue;
    const auto missing = static_cast<std::uint32_t>(level.parts.all.size());
    level.parts.all.push_back({.kind = Part::Kind::missing, .parameters = {decided.begin(), decided.end()}});
    for (const Rule* rule : rules) add_rule(*rule, {{missing, true}}, depth, with_rests);
  }
  for (std::size_t p = depth; p < definition_.parameters.size(); ++p) {
    if (!is_conditional(p)) continue;
    if (decision_depth_[p] > depth) {
      added_.clear();
      add_rule(conditions_.at(p), {}, depth, with_rests);
      uses.emplace_back(&conditions_.at(p), added_);
    } else {
      level.decided.push_back(p);
    }
  }
  if (with_rests)
    return std::ranges::all_of(level.parts.all,
                               [](const Part& part) { return part.kind == Part::Kind::rest; });
  return level.parts.all.size() == always && join_alike(level.parts, uses);
}

const std::string& SpaceStates::role(const Rule& rule, std::uint32_t parameter) {
  std::string& role = roles_[{&rule, parameter}];
  if (role.empty())
    role =
        replace_variables(rule.expr, {{definition_.parameters[parameter].name, Value(std::string("\x01"))}})
            .to_string();
  return role;
}

/// Where every rule to come waits with one parameter alone, and two parameters stand in the same rules but
/// for their names (`c != a` and `c != b`), the rest depends on the set of their values.
bool SpaceStates::join_alike(Parts& all_parts, const Uses& uses) {
  std::vector<std::vector<std::string>> roles(all_parts.all.size());
  std::vector<bool> single(all_parts.all.size(), true);
  for (const auto& [rule, parts] : uses) {
    const bool alone = std::ranges::count(parts, parts.front()) == std::ssize(parts);
    for (const std::uint32_t number : parts) {
      const Part& part = all_parts.all[number];
      const bool is_parameter =
          part.kind == Part::Kind::value && part.mutes.empty() && terms_.term(part.item).op == Op::variable;
      const bool is_condition = rule->constraint == nullptr;  // each decides about another parameter
      if (!alone || !is_parameter || is_condition) {
        single[number] = false;
        continue;
      }
      roles[number].push_back(role(*rule, part.parameters[0]));
    }
  }
  std::map<std::vector<std::string>, std::vector<std::uint32_t>> groups;
  for (std::uint32_t part = 0; part < roles.size(); ++part) {
    if (!single[part] || roles[part].empty()) continue;
    std::ranges::sort(roles[part]);
    groups[roles[part]].push_back(part);
  }
  std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
  for (const auto& [role, parts] : groups) {
    // The first describes all. The others add nothing.
    Part all{.kind = Part::Kind::alike};
    for (const std::uint32_t number : parts) {
      Part& part = all_parts.all[number];
      all.terms.push_back(part.item);
      all.parameters.push_back(part.parameters[0]);
      part = {.kind = Part::Kind::alike};
    }
    all_parts.all[parts.front()] = std::move(all);
  }
  return !groups.empty();
}

std::size_t SpaceStates::known_from(const Level& level, const Part& part) const {
  std::size_t last = 0;
  for (const std::uint32_t p : part.parameters)
    last = std::max(last, part.kind == Part::Kind::missing ? decision_depth_[p] : p + 1);
  for (const Mute& mute : part.mutes) last = std::max(last, level.parts.all[mute.part].known_from);
  return last;
}

void SpaceStates::group(std::size_t depth) {
  Level& level = levels_[depth];
  std::vector<Part>& parts = level.parts.all;
  std::map<std::size_t, std::vector<std::uint32_t>> groups;
  for (std::uint32_t number = 0; number < parts.size(); ++number) {
    Part& part = parts[number];
    if (part.kind == Part::Kind::alike && part.terms.empty()) continue;
    part.known_from = known_from(level, part);
    groups[part.known_from].push_back(number);
  }
  for (auto& [known_from, numbers] : groups) {
    if (known_from == depth)
      level.changing = std::move(numbers);
    else
      level.groups.push_back({known_from, std::move(numbers)});
  }
  level.parts.booleans.assign(parts.size(), -1);
}

std::vector<std::size_t> SpaceStates::decided_by(const Rule& rule, std::size_t depth) const {
  std::vector<std::size_t> decided;
  for (const std::size_t p : rule.parameters)
    if (is_conditional(p) && decision_depth_[p] <= depth && !rule.constraint->required) decided.push_back(p);
  return decided;
}

void SpaceStates::add_rule(const Rule& rule, const std::vector<Mute>& mutes, std::size_t depth,
                           bool with_rests) {
  Parts& parts = levels_[depth].parts;
  // The parts do not determine what a condition or a required rule states without one of its parameters.
  const bool absent_counts = rule.constraint == nullptr || rule.constraint->required;
  if (!absent_counts ||
      std::ranges::none_of(rule.parameters, [this](std::size_t p) { return is_conditional(p); })) {
    if (!with_rests || rule.constraint == nullptr || !add_rest(rule, mutes, depth))
      gather(parts, rule.term, true, mutes, depth);
    return;
  }
  for (const std::size_t p : rule.parameters)
    if (p < depth)
      parts.all.push_back({.kind = Part::Kind::choice, .parameters = {static_cast<std::uint32_t>(p)}});
}

bool SpaceStates::add_rest(const Rule& rule, const std::vector<Mute>& mutes, std::size_t depth) {
  constexpr std::size_t max_combinations = 32;  // bits of a mask
  std::vector<std::size_t> waits_for;
  std::size_t combinations = 1;
  for (const std::uint32_t p : terms_.parameters(rule.term)) {
    if (p < depth) continue;
    waits_for.push_back(p);
    combinations *= values_[p].size();
    if (combinations > max_combinations) return false;
  }
  const std::size_t number = rest_rule(rule.term, waits_for, depth);
  const RestRule& rest = rest_rules_[number];
  if (rest.parts.all.empty()) return true;  // nothing of it is known
  const auto add_to = [&](Part& part, Rest& together) {
    part.parameters.insert(part.parameters.end(), rest.parameters.begin(), rest.parameters.end());
    together.rules.push_back(number);
  };
  Level& level = levels_[depth];
  for (Part& other : level.parts.all) {
    if (other.kind != Part::Kind::rest || level.rests[other.item].waits_for != waits_for) continue;
    if (!std::ranges::equal(other.mutes, mutes)) continue;
    add_to(other, level.rests[other.item]);
    return true;
  }
  Part part{.kind = Part::Kind::rest, .item = static_cast<std::uint32_t>(level.rests.size()), .mutes = mutes};
  level.rests.push_back({std::move(waits_for), {}});
  add_to(part, level.rests.back());
  level.parts.all.push_back(std::move(part));
  return true;
}

std::size_t SpaceStates::rest_rule(Terms::Id term, const std::vector<std::size_t>& waits_for,
                                   std::size_t depth) {
  const auto [place, added] = rest_rule_numbers_.try_emplace({term, waits_for}, rest_rules_.size());
  if (!added) return place->second;
  RestRule& rule = rest_rules_.emplace_back(RestRule{term, waits_for});
  gather(rule.parts, term, true, {}, depth);
  for (std::uint32_t number = 0; number < rule.parts.all.size(); ++number) {
    const auto& mentioned = rule.parts.all[number].parameters;
    rule.parameters.insert(rule.parameters.end(), mentioned.begin(), mentioned.end());
    rule.numbers.push_back(number);
  }
  if (!rule.parameters.empty()) rule.known_from = std::ranges::max(rule.parameters) + 1;
  rule.parts.booleans.resize(rule.parts.all.size());
  return place->second;
}

/// Adds the largest parts of the expression whose parameters are all assigned.
void SpaceStates::gather(Parts& parts, Terms::Id term, bool as_boolean, std::vector<Mute> mutes,
                         std::size_t depth) {
  if (terms_.term(term).known_from == 0) return;
  if (known(term, depth)) {
    add_known(parts, term, as_boolean, mutes);
    return;
  }
  const Op op = terms_.term(term).op;
  if (op == Op::variable) return;
  const auto operands = terms_.operands(term);
  switch (op) {
    case Op::logical_not:
      return gather(parts, operands[0], true, std::move(mutes), depth);
    case Op::logical_and:
    case Op::logical_or:
      if (known(operands[0], depth)) {
        const std::uint32_t first = add_known(parts, operands[0], true, mutes);
        mutes.push_back({first, op == Op::logical_or});
      } else {
        gather(parts, operands[0], true, mutes, depth);
      }
      return gather(parts, operands[1], true, std::move(mutes), depth);
    case Op::conditional:
      return gather_choice(parts, term, as_boolean, mutes, depth);
    default:
      for (const Terms::Id operand : operands) gather(parts, operand, false, mutes, depth);
  }
}

void SpaceStates::gather_choice(Parts& parts, Terms::Id term, bool as_boolean, const std::vector<Mute>& mutes,
                                std::size_t depth) {
  const auto operands = terms_.operands(term);
  std::vector<Mute> then = mutes, otherwise = mutes;
  if (known(operands[0], depth)) {
    const std::uint32_t condition = add_known(parts, operands[0], true, mutes);
    then.push_back({condition, false});
    otherwise.push_back({condition, true});
  } else {
    gather(parts, operands[0], true, mutes, depth);
  }
  gather(parts, operands[1], as_boolean, std::move(then), depth);
  gather(parts, operands[2], as_boolean, std::move(otherwise), depth);
}

std::uint32_t SpaceStates::add_known(Parts& parts, Terms::Id term, bool as_boolean,
                                     const std::vector<Mute>& mutes) {
  std::vector<std::uint32_t> key{term, as_boolean ? 1U : 0U};
  for (const Mute& mute : mutes) key.push_back(mute.part << 1U | (mute.boolean ? 1U : 0U));
  const auto [place, added] =
      parts.known.try_emplace(std::move(key), static_cast<std::uint32_t>(parts.all.size()));
  if (added)
    parts.all.push_back({.kind = as_boolean ? Part::Kind::boolean : Part::Kind::value,
                         .item = term,
                         .parameters = terms_.parameters(term),
                         .mutes = mutes});
  added_.push_back(place->second);
  return place->second;
}

std::vector<std::size_t> SpaceStates::mentioned(const Expr& expr) const {
  std::vector<std::size_t> parameters;
  for (const std::string& name : expr.variables())
    if (const auto slot = slots_.find(name); slot != slots_.end()) parameters.push_back(slot->second);
  return parameters;
}

void SpaceStates::begin(std::size_t depth, const Assignment& assignment) {
  if (depth == levels_.size()) return;
  Level& level = levels_[depth];
  std::uint32_t place = 0;
  level.common = 0;
  for (Group& group : level.groups) {
    const std::uint64_t version = terms_.version(group.known_from);
    if (group.version != version) {
      group.version = version;
      words_.assign({place, level.common});
      describe(level, level.parts, group.parts, assignment, words_);
      steps_ += words_.size();
      group.number = level.commons.intern(words_).number;
    }
    level.common = group.number;
    ++place;
  }
  words_.assign({place, level.common});
  add_decided(level, false, depth, assignment);
  steps_ += words_.size();
  level.common = level.commons.intern(words_).number;
}

Interned::Found SpaceStates::state(std::size_t depth, const Assignment& assignment) {
  Level& level = levels_[depth];
  words_.clear();
  words_.push_back(level.common);
  add_decided(level, true, depth, assignment);
  describe(level, level.parts, level.changing, assignment, words_);
  steps_ += words_.size();
  return level.states.intern(words_);
}

/// Adds which parameters to come exist, as far as that was decided at this depth (`changing`) or before.
void SpaceStates::add_decided(const Level& level, bool changing, std::size_t depth,
                              const Assignment& assignment) {
  std::uint32_t bits = 1;  // the first of a word marks how many follow
  for (const std::size_t p : level.decided) {
    if ((decision_depth_[p] == depth) != changing) continue;
    bits = bits << 1U | (assignment.exists[p] != 0 ? 1U : 0U);
    if (bits < 1U << 31U) continue;
    words_.push_back(bits);
    bits = 1;
  }
  words_.push_back(bits);
}

void SpaceStates::describe(const Level& level, Parts& parts, const std::vector<std::uint32_t>& numbers,
                           const Assignment& assignment, Words& words) {
  for (const std::uint32_t number : numbers) {
    parts.booleans[number] = -1;
    const bool muted = std::ranges::any_of(parts.all[number].mutes, [&](const Mute& mute) {
      return parts.booleans[mute.part] == (mute.boolean ? 1 : 0);
    });
    if (muted)
      words.push_back(part_muted);
    else
      describe_part(level, parts, number, assignment, words);
  }
}

void SpaceStates::describe_part(const Level& level, Parts& parts, std::uint32_t number,
                                const Assignment& assignment, Words& words) {
  const Part& part = parts.all[number];
  const auto add_boolean = [&](bool boolean) {
    parts.booleans[number] = boolean ? 1 : 0;
    words.push_back(boolean ? part_yes : part_no);
  };
  switch (part.kind) {
    case Part::Kind::missing:
      return add_boolean(
          std::ranges::any_of(part.parameters, [&](std::size_t p) { return assignment.exists[p] == 0; }));
    case Part::Kind::choice:
      words.push_back(choice_of(part.parameters[0], assignment));
      return;
    case Part::Kind::value:
      return add_value(part.item, assignment, words);
    case Part::Kind::boolean: {
      const Terms::Term& term = terms_.compute(part.item);
      if (term.failed) return add_value(part.item, assignment, words);
      return add_boolean(term.value.to_bool());
    }
    case Part::Kind::alike:
      return add_alike(part, assignment, words);
    case Part::Kind::rest:
      return add_rest_of(level, level.rests[part.item], assignment, words);
  }
}

void SpaceStates::add_value(Terms::Id id, const Assignment& assignment, Words& words) {
  const Terms::Term& term = terms_.compute(id);
  if (!term.failed) return add_scalar(term.value, words);
  words.push_back(part_failed);
  for (const std::uint32_t p : terms_.parameters(id)) words.push_back(choice_of(p, assignment));
}

/// Appends the set of their values.
void SpaceStates::add_alike(const Part& part, const Assignment& assignment, Words& words) {
  words_of_alike_.resize(part.terms.size());
  for (std::size_t i = 0; i < part.terms.size(); ++i) {
    words_of_alike_[i].clear();
    add_value(part.terms[i], assignment, words_of_alike_[i]);
  }
  std::ranges::sort(words_of_alike_);
  const auto end = std::unique(words_of_alike_.begin(), words_of_alike_.end());
  words.push_back(static_cast<std::uint32_t>(end - words_of_alike_.begin()));
  for (auto one = words_of_alike_.begin(); one != end; ++one)
    words.insert(words.end(), one->begin(), one->end());
}

void SpaceStates::add_rest_of(const Level& level, const Rest& rest, const Assignment& assignment,
                              Words& words) {
  std::uint32_t allowed = ~std::uint32_t{0}, failed = 0;
  const std::size_t place = words.size();
  words.resize(place + 2);
  for (const std::size_t number : rest.rules) {
    RestRule& rule = rest_rules_[number];
    if (rule.version != terms_.version(rule.known_from)) answer(level, rule, assignment);
    allowed &= rule.now.mask;
    if (!rule.now.failed) continue;
    // What cannot be computed has to be found where the rule is checked.
    ++failed;
    words.push_back(static_cast<std::uint32_t>(number));
    words.insert(words.end(), rule.key_now.begin(), rule.key_now.end());
  }
  words[place] = part_yes + 2 * failed;
  words[place + 1] = allowed;
}

void SpaceStates::answer(const Level& level, RestRule& rule, const Assignment& assignment) {
  rule.version = terms_.version(rule.known_from);
  key_.clear();
  describe(level, rule.parts, rule.numbers, assignment, key_);
  steps_ += key_.size();
  const auto [key, added] = rule.keys.intern(key_);
  if (added) rule.answers.push_back(answers(rule));
  rule.now = rule.answers[key];
  if (rule.now.failed) rule.key_now = key_;
}

SpaceStates::Answers SpaceStates::answers(const RestRule& rule) {
  Answers answers;
  unsigned bit = 0;
  const auto ask = [&](const auto& self, std::size_t place) -> void {
    if (place == rule.waits_for.size()) {
      const Terms::Term& term = terms_.compute(rule.term);
      answers.failed = answers.failed || term.failed;
      if (term.failed || term.value.to_bool()) answers.mask |= std::uint32_t{1} << bit;
      ++bit;
      return;
    }
    for (const Scalar& value : values_[rule.waits_for[place]]) {
      terms_.assign(rule.waits_for[place], value);
      self(self, place + 1);
    }
  };
  ask(ask, 0);
  return answers;
}

}  // namespace tune::search
