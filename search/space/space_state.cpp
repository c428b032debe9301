// SPDX-License-Identifier: Apache-2.0
#include "search/space/space_state.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "search/expressions/rewrite.hpp"

namespace tune::search {

namespace {

using Op = Expr::Op;

// First words of what a part adds. Whole numbers that fit have an odd word of their own, so that no two
// different sequences of parts become the same words.
constexpr std::uint32_t part_muted = 0, part_no = 2, part_yes = 4, part_other = 6, part_failed = 8;

void add_scalar(const Scalar& scalar, std::vector<std::uint32_t>& words) {
  constexpr std::int64_t small = std::int64_t{1} << 30;
  if (scalar.kind == Scalar::Kind::integer && scalar.integer < small && scalar.integer >= -small) {
    words.push_back((static_cast<std::uint32_t>(scalar.integer) << 1U) | 1U);
    return;
  }
  // A text is told by its place: equal texts at two places are two, which is never wrong.
  const std::uint64_t bits = scalar.is_real() ? std::bit_cast<std::uint64_t>(scalar.real)
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

}  // namespace

SpaceStates::SpaceStates(const SpaceDefinition& definition)
    : definition_(definition), constants_(definition.constants) {
  const std::vector<Parameter>& parameters = definition.parameters;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    slots_[parameters[p].name] = p;
    decision_depth_.push_back(parameters[p].exists_if ? last_depth(*parameters[p].exists_if) : 0);
    if (parameters[p].values.size() == 1 && !parameters[p].exists_if)
      constants_.emplace(parameters[p].name, parameters[p].values.front());
  }
  levels_.resize(parameters.size());
  for (std::size_t depth = 0; depth < parameters.size(); ++depth) plan(depth);
}

void SpaceStates::plan(std::size_t depth) {
  for (const Constraint& constraint : definition_.constraints)
    if (last_depth(constraint.rule) > depth) add_constraint(constraint, depth);
  for (std::size_t p = depth; p < definition_.parameters.size(); ++p) {
    const Parameter& parameter = definition_.parameters[p];
    if (!parameter.exists_if) continue;
    if (decision_depth_[p] > depth)
      add_condition(*parameter.exists_if, depth);
    else
      levels_[depth].parts.push_back({Part::Kind::exists, Program(Expr(true), slots_), {p}, {}});
  }
}

void SpaceStates::add_constraint(const Constraint& constraint, std::size_t depth) {
  std::vector<std::size_t> decided, conditional, assigned;
  for (const std::size_t p : mentioned(constraint.rule)) {
    if (p < depth) assigned.push_back(p);
    if (!definition_.parameters[p].exists_if) continue;
    conditional.push_back(p);
    if (decision_depth_[p] <= depth) decided.push_back(p);
  }
  // What a required rule says without one of its parameters is not told by its parts.
  if (constraint.required && !conditional.empty()) return add_choices(assigned, depth);
  std::vector<Mute> mutes;
  if (!decided.empty()) {
    mutes.push_back({levels_[depth].parts.size(), true});
    levels_[depth].parts.push_back({Part::Kind::missing, Program(Expr(true), slots_), decided, {}});
  }
  gather(replace_variables(constraint.rule, constants_), true, mutes, depth);
}

void SpaceStates::add_condition(const Expr& condition, std::size_t depth) {
  const auto all = mentioned(condition);
  const bool plain = std::ranges::none_of(
      all, [this](std::size_t p) { return definition_.parameters[p].exists_if.has_value(); });
  if (plain) return gather(replace_variables(condition, constants_), true, {}, depth);
  std::vector<std::size_t> assigned;
  for (const std::size_t p : all)
    if (p < depth) assigned.push_back(p);
  add_choices(assigned, depth);
}

void SpaceStates::add_choices(const std::vector<std::size_t>& parameters, std::size_t depth) {
  for (const std::size_t p : parameters)
    levels_[depth].parts.push_back({Part::Kind::choice, Program(Expr(true), slots_), {p}, {}});
}

/// Adds the largest parts of the expression whose parameters are all assigned.
void SpaceStates::gather(const Expr& expr, bool as_boolean, std::vector<Mute> mutes, std::size_t depth) {
  if (expr.op() != Op::list && all_known(expr, depth)) {
    if (known_part(expr, depth)) add_known(expr, as_boolean, mutes, depth);
    return;
  }
  const auto& operands = expr.operands();
  switch (expr.op()) {
    case Op::logical_not:
      return gather(operands[0], true, std::move(mutes), depth);
    case Op::logical_and:
    case Op::logical_or:
      if (known_part(operands[0], depth)) {
        const std::size_t first = add_known(operands[0], true, mutes, depth);
        mutes.push_back({first, expr.op() == Op::logical_or});
      } else {
        gather(operands[0], true, mutes, depth);
      }
      return gather(operands[1], true, std::move(mutes), depth);
    case Op::conditional:
      return gather_choice(expr, as_boolean, mutes, depth);
    default:
      for (const Expr& operand : operands) gather(operand, false, mutes, depth);
  }
}

void SpaceStates::gather_choice(const Expr& expr, bool as_boolean, const std::vector<Mute>& mutes,
                                std::size_t depth) {
  const auto& operands = expr.operands();
  std::vector<Mute> then = mutes, otherwise = mutes;
  if (known_part(operands[0], depth)) {
    const std::size_t condition = add_known(operands[0], true, mutes, depth);
    then.push_back({condition, false});
    otherwise.push_back({condition, true});
  } else {
    gather(operands[0], true, mutes, depth);
  }
  gather(operands[1], as_boolean, std::move(then), depth);
  gather(operands[2], as_boolean, std::move(otherwise), depth);
}

std::size_t SpaceStates::add_known(const Expr& expr, bool as_boolean, const std::vector<Mute>& mutes,
                                   std::size_t depth) {
  Level& level = levels_[depth];
  std::string name = (as_boolean ? "t " : "v ") + expr.to_string();
  for (const Mute& mute : mutes) name += (mute.boolean ? " +" : " -") + std::to_string(mute.part);
  const auto [place, added] = level.known.try_emplace(std::move(name), level.parts.size());
  if (added)
    level.parts.push_back({as_boolean ? Part::Kind::boolean : Part::Kind::value, Program(expr, slots_),
                           mentioned(expr), mutes});
  return place->second;
}

std::vector<std::size_t> SpaceStates::mentioned(const Expr& expr) const {
  std::vector<std::size_t> parameters;
  for (const std::string& name : expr.variables())
    if (const auto slot = slots_.find(name); slot != slots_.end()) parameters.push_back(slot->second);
  return parameters;
}

std::size_t SpaceStates::last_depth(const Expr& expr) const {
  const auto parameters = mentioned(expr);
  return parameters.empty() ? 0 : std::ranges::max(parameters) + 1;
}

bool SpaceStates::all_known(const Expr& expr, std::size_t depth) const {
  return last_depth(expr) <= depth;
}

/// Whether it is known and not so from the beginning.
bool SpaceStates::known_part(const Expr& expr, std::size_t depth) const {
  const std::size_t last = last_depth(expr);
  return last > 0 && last <= depth;
}

void SpaceStates::describe(std::size_t depth, const Assignment& assignment,
                           std::vector<std::uint32_t>& words) {
  std::vector<Part>& parts = levels_[depth].parts;
  booleans_.assign(parts.size(), -1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    if (std::ranges::any_of(part.mutes, [this](const Mute& mute) {
          return booleans_[mute.part] == (mute.boolean ? 1 : 0);
        })) {
      words.push_back(part_muted);
      continue;
    }
    switch (part.kind) {
      case Part::Kind::missing:
        booleans_[i] =
            std::ranges::any_of(part.parameters, [&](std::size_t p) { return assignment.exists[p] == 0; })
                ? 1
                : 0;
        words.push_back(booleans_[i] != 0 ? part_yes : part_no);
        break;
      case Part::Kind::exists:
        words.push_back(assignment.exists[part.parameters[0]] != 0 ? part_yes : part_no);
        break;
      case Part::Kind::choice:
        words.push_back(choice_of(part.parameters[0], assignment));
        break;
      case Part::Kind::value:
      case Part::Kind::boolean:
        try {
          const Scalar value = part.program.run(assignment.values);
          if (part.kind == Part::Kind::value) {
            add_scalar(value, words);
            break;
          }
          booleans_[i] = value.to_bool() ? 1 : 0;
          words.push_back(booleans_[i] != 0 ? part_yes : part_no);
        } catch (const ExprError&) {
          words.push_back(part_failed);
          for (const std::size_t p : part.parameters) words.push_back(choice_of(p, assignment));
        }
    }
  }
}

}  // namespace tune::search
