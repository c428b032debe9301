// SPDX-License-Identifier: Apache-2.0
#include "search/space/space_check.hpp"

#include <algorithm>
#include <set>

#include "search/expressions/rewrite.hpp"

namespace tune::search {

namespace {

/// Limits the table of answers to the second-level cache.
constexpr std::size_t max_answers = 1 << 18;

}  // namespace

SpaceCheck::SpaceCheck(const Expr& condition, const std::map<std::string, std::size_t>& slots,
                       std::vector<std::size_t> conditional, std::span<const Parameter> parameters,
                       bool required)
    : condition_(condition),
      parameters_(parameters),
      required_(required),
      program_(condition, slots),
      conditional_(std::move(conditional)) {
  std::size_t answers = 1;
  for (const std::string& name : condition.variables()) {
    const std::size_t parameter = slots.at(name);
    const std::size_t values = parameters[parameter].values.size();
    inputs_.push_back({parameter, answers, values});
    answers = std::min(answers * (values + 1), max_answers + 1);
  }
  if (answers <= max_answers) answers_.resize(answers, Answer::not_asked);
}

bool SpaceCheck::passes(const Assignment& assignment) {
  const bool applies = std::ranges::all_of(
      conditional_, [&](std::size_t parameter) { return assignment.exists[parameter] != 0; });
  if (!applies && !required_) return true;
  const auto ask = [&] { return applies ? program_.run(assignment.values).to_bool() : decided(assignment); };
  if (answers_.empty()) return ask();
  std::size_t at = 0;
  for (const Input& input : inputs_) {
    const bool exists = assignment.exists[input.parameter] != 0;
    at += input.stride * (exists ? assignment.indices[input.parameter] : input.values);
  }
  Answer& answer = answers_[at];
  if (answer == Answer::not_asked) answer = ask() ? Answer::yes : Answer::no;
  return answer == Answer::yes;
}

/// True when the condition holds although a parameter in it does not exist.
bool SpaceCheck::decided(const Assignment& assignment) const {
  const auto lookup = [&](std::string_view name) -> const Value* {
    for (const Input& input : inputs_) {
      const Parameter& parameter = parameters_[input.parameter];
      if (parameter.name != name || assignment.exists[input.parameter] == 0) continue;
      return &parameter.values[assignment.indices[input.parameter]];
    }
    return nullptr;
  };
  return condition_.partially_evaluate(lookup) == Tribool::yes;
}

namespace {

/// Builds a CheckPlan; depths count assigned parameters, so parameter p is assigned at depth p + 1.
class Planner {
 public:
  explicit Planner(const SpaceDefinition& definition) : definition_(definition) {
    const std::size_t count = definition.parameters.size();
    plan_.checks.resize(count + 1);
    plan_.decided.resize(count + 1);
    for (std::size_t p = 0; p < count; ++p) {
      const Parameter& parameter = definition.parameters[p];
      slots_[parameter.name] = p;
      decision_depth_.push_back(parameter.exists_if ? last_depth(*parameter.exists_if) : 0);
      if (parameter.exists_if) plan_.decided[decision_depth_[p]].push_back(p);
    }
  }

  CheckPlan plan() {
    for (std::size_t c = 0; c < definition_.constraints.size(); ++c) add_constraint(c);
    return std::move(plan_);
  }

 private:
  std::set<std::size_t> mentioned(const Expr& expr) const {
    std::set<std::size_t> parameters;
    for (const std::string& name : expr.variables()) {
      if (const auto slot = slots_.find(name); slot != slots_.end()) parameters.insert(slot->second);
    }
    return parameters;
  }

  std::size_t last_depth(const Expr& expr) const {
    const auto parameters = mentioned(expr);
    return parameters.empty() ? 0 : *parameters.rbegin() + 1;
  }

  void add_check(std::size_t depth, std::size_t constraint, const Expr& condition,
                 const std::vector<std::size_t>& conditional, bool complete) {
    const bool required = complete && definition_.constraints[constraint].required;
    plan_.checks[depth].push_back(
        {SpaceCheck(condition, slots_, conditional, definition_.parameters, required), constraint, complete});
  }

  void add_constraint(std::size_t constraint) {
    const Expr rule = replace_variables(definition_.constraints[constraint].rule, definition_.constants);
    std::vector<std::size_t> conditional;
    // From here on it is known if the constraint applies.
    std::size_t applies_depth = 0;
    for (const std::size_t p : mentioned(rule)) {
      if (!definition_.parameters[p].exists_if) continue;
      conditional.push_back(p);
      applies_depth = std::max(applies_depth, decision_depth_[p]);
    }
    std::set<std::size_t> depths{applies_depth};
    for (const std::size_t p : mentioned(rule)) depths.insert(std::max(p + 1, applies_depth));
    const std::size_t complete_depth = *depths.rbegin();

    std::optional<Expr> previous;
    for (const std::size_t depth : depths) {
      if (depth == complete_depth) break;
      std::set<std::string> known;
      for (std::size_t p = 0; p < depth; ++p) known.insert(definition_.parameters[p].name);
      auto follows = implied_by(rule, known);
      if (!follows || (previous && previous->same_as(*follows))) continue;
      add_check(depth, constraint, *follows, conditional, false);
      previous = std::move(follows);
    }
    add_check(complete_depth, constraint, rule, conditional, true);
  }

  const SpaceDefinition& definition_;
  std::map<std::string, std::size_t> slots_;
  std::vector<std::size_t> decision_depth_;
  CheckPlan plan_;
};

}  // namespace

CheckPlan plan_checks(const SpaceDefinition& definition) {
  return Planner(definition).plan();
}

}  // namespace tune::search
