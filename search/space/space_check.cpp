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

SpaceCheck::SpaceCheck(const Expr& condition, Terms& terms, std::vector<std::size_t> conditional,
                       std::span<const Parameter> parameters, bool required)
    : condition_(condition),
      parameters_(parameters),
      required_(required),
      term_(terms.add(condition)),
      conditional_(std::move(conditional)) {
  if (!required_ || conditional_.empty()) return;
  std::size_t answers = 1;
  for (const std::size_t parameter : terms.parameters(term_)) {
    const std::size_t values = parameters[parameter].values.size();
    inputs_.push_back({parameter, answers, values});
    answers = std::min(answers * (values + 1), max_answers + 1);
  }
  if (answers <= max_answers) answers_.resize(answers, Answer::not_asked);
}

SpaceCheck::Answer SpaceCheck::ask_decided(const Assignment& assignment) {
  const auto ask = [&] { return decided(assignment) ? Answer::yes : Answer::no; };
  if (answers_.empty()) return ask();
  std::size_t at = 0;
  for (const Input& input : inputs_) {
    const bool exists = assignment.exists[input.parameter] != 0;
    at += input.stride * (exists ? assignment.indices[input.parameter] : input.values);
  }
  Answer& answer = answers_[at];
  if (answer == Answer::not_asked) answer = ask();
  return answer;
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

bool CheckPlan::Limit::holds(const Assignment& assignment, Terms& terms) const {
  for (const std::size_t parameter : conditional)
    if (assignment.exists[parameter] == 0) return true;
  const Terms::Term& part = terms.compute(bound.part);
  if (part.failed) return true;
  const double value = part.value.is_integral() ? static_cast<double>(part.value.integer) : part.value.real;
  return value >= bound.lowest && value <= bound.highest;
}

namespace {

/// Builds a CheckPlan; depths count assigned parameters, so parameter p is assigned at depth p + 1.
class Planner {
 public:
  Planner(const SpaceDefinition& definition, Terms& terms) : definition_(definition), terms_(terms) {
    const std::size_t count = definition.parameters.size();
    plan_.checks.resize(count + 1);
    plan_.decided.resize(count + 1);
    plan_.limits.resize(count + 1);
    for (std::size_t p = 0; p < count; ++p) {
      const Parameter& parameter = definition.parameters[p];
      slots_[parameter.name] = p;
      decision_depth_.push_back(parameter.exists_if ? last_depth(*parameter.exists_if) : 0);
      if (parameter.exists_if) add_decision(p);
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

  /// The parameters among them that may not exist.
  std::vector<std::size_t> conditional(const std::set<std::size_t>& parameters) const {
    std::vector<std::size_t> found;
    for (const std::size_t p : parameters)
      if (definition_.parameters[p].exists_if) found.push_back(p);
    return found;
  }

  void add_decision(std::size_t p) {
    const Expr& condition = *definition_.parameters[p].exists_if;
    plan_.decided[decision_depth_[p]].push_back(
        {SpaceCheck(replace_variables(condition, definition_.constants), terms_,
                    conditional(mentioned(condition)), definition_.parameters, true),
         p});
  }

  void add_check(std::size_t depth, std::size_t constraint, const Expr& condition,
                 const std::vector<std::size_t>& conditional, bool complete) {
    const bool required = complete && definition_.constraints[constraint].required;
    plan_.checks[depth].push_back(
        {SpaceCheck(condition, terms_, conditional, definition_.parameters, required), constraint, complete});
  }

  void add_constraint(std::size_t constraint) {
    const Expr rule = replace_variables(definition_.constraints[constraint].rule, definition_.constants);
    const std::vector<std::size_t> conditional = this->conditional(mentioned(rule));
    // From here on it is known if the constraint applies.
    std::size_t applies_depth = 0;
    for (const std::size_t p : conditional) applies_depth = std::max(applies_depth, decision_depth_[p]);
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
    const bool decided_early = conditional.empty() || !definition_.constraints[constraint].required;
    if (decided_early && terms_.is_computable(terms_.add(rule))) add_limits(rule, conditional, applies_depth);
  }

  void add_limits(const Expr& rule, const std::vector<std::size_t>& conditional, std::size_t applies_depth) {
    const std::vector<Expr> parts = conjuncts_of(rule);
    for (const Expr& part : parts) add_limits(part, conditional, applies_depth);
    if (!parts.empty()) return;
    if (mentioned(rule).size() < 2) return;
    for (const Terms::Bound& bound : terms_.bounds(terms_.add(rule)))
      plan_.limits[std::max<std::size_t>(terms_.term(bound.part).known_from, applies_depth)].push_back(
          {bound, conditional});
  }

  const SpaceDefinition& definition_;
  Terms& terms_;
  std::map<std::string, std::size_t> slots_;
  std::vector<std::size_t> decision_depth_;
  CheckPlan plan_;
};

}  // namespace

CheckPlan plan_checks(const SpaceDefinition& definition, Terms& terms) {
  return Planner(definition, terms).plan();
}

}  // namespace tune::search
