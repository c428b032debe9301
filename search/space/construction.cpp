// SPDX-License-Identifier: Apache-2.0
#include "search/space/construction.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace tune::search {
namespace {

/// True when the parameter exists. Throws ExprError where its condition fails although nothing in it is
/// missing.
bool certainly_holds(const Parameter& parameter, const Lookup& lookup) {
  const Expr& condition = *parameter.exists_if;
  const Tribool boolean = condition.partially_evaluate(lookup);
  if (boolean != Tribool::unknown) return boolean == Tribool::yes;
  const auto names = condition.variables();
  if (!std::ranges::all_of(names, [&](const std::string& name) { return lookup(name) != nullptr; }))
    return false;
  try {
    return condition.evaluate(lookup).as_bool();
  } catch (const ExprError& error) {
    throw ExprError("the condition of parameter '" + parameter.name + "', '" + condition.to_string() +
                    "': " + error.what());
  }
}

std::map<std::string, std::size_t> slots_of(const SpaceDefinition& definition) {
  std::map<std::string, std::size_t> slots;
  for (std::size_t p = 0; p < definition.parameters.size(); ++p) slots[definition.parameters[p].name] = p;
  return slots;
}

std::vector<std::vector<Scalar>> scalars_of(const SpaceDefinition& definition) {
  std::vector<std::vector<Scalar>> all;
  for (const Parameter& parameter : definition.parameters) {
    auto& scalars = all.emplace_back();
    for (const Value& value : parameter.values) scalars.push_back(Scalar::of(value));
  }
  return all;
}

}  // namespace

Construction::Construction(const SpaceDefinition& definition)
    : definition_(definition),
      values_(scalars_of(definition)),
      terms_(slots_of(definition), values_),
      plan_(plan_checks(definition, terms_)),
      assignment_{std::vector<std::uint32_t>(definition.parameters.size()),
                  std::vector<char>(definition.parameters.size(), 1)} {}

bool Construction::accepts(std::size_t depth) {
  decide_existence(depth);
  for (CheckPlan::Entry& entry : plan_.checks[depth]) {
    const SpaceCheck::Answer answer = entry.check.ask(assignment_, terms_);
    if (answer == SpaceCheck::Answer::no) return false;
    if (answer == SpaceCheck::Answer::failed && entry.complete) fail(entry.constraint, depth);
  }
  return std::ranges::all_of(plan_.limits[depth], [this](const CheckPlan::Limit& limit) {
    return limit.holds(assignment_, terms_);
  });
}

std::uint32_t Construction::digit(std::size_t parameter) const {
  if (!exists(parameter)) return 0;
  return assignment_.indices[parameter] + (definition_.parameters[parameter].exists_if ? 1 : 0);
}

/// Looks up constants, and parameters that are assigned at `depth` and exist.
Lookup Construction::lookup(std::size_t depth) const {
  return [this, depth](std::string_view name) -> const Value* {
    const auto& parameters = definition_.parameters;
    for (std::size_t p = 0; p < depth; ++p) {
      if (parameters[p].name != name) continue;
      return assignment_.exists[p] != 0 ? &parameters[p].values[assignment_.indices[p]] : nullptr;
    }
    const auto constant = definition_.constants.find(name);
    return constant == definition_.constants.end() ? nullptr : &constant->second;
  };
}

void Construction::decide_existence(std::size_t depth) {
  for (CheckPlan::Decision& decision : plan_.decided[depth]) {
    const std::size_t p = decision.parameter;
    const SpaceCheck::Answer answer = decision.check.ask(assignment_, terms_);
    const bool exists = answer == SpaceCheck::Answer::failed
                            ? certainly_holds(definition_.parameters[p], lookup(depth))
                            : answer == SpaceCheck::Answer::yes;
    assignment_.exists[p] = exists ? 1 : 0;
  }
}

/// Throws the error with which a constraint cannot be computed.
void Construction::fail(std::size_t constraint, std::size_t depth) const {
  const Expr& rule = definition_.constraints[constraint].rule;
  std::string where;
  for (const std::string& name : rule.variables()) {
    const Value* value = lookup(depth)(name);
    if (value != nullptr) where += (where.empty() ? "" : ", ") + name + "=" + value->to_string();
  }
  if (!where.empty()) where = " at (" + where + ")";
  std::string reason = "a number is beyond 64-bit integers";
  try {
    rule.evaluate(lookup(depth));
  } catch (const ExprError& error) {
    reason = error.what();
  }
  throw ConstraintError("constraint '" + rule.to_string() + "'" + where + ": " + reason, constraint);
}

}  // namespace tune::search
