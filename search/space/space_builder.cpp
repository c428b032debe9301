// SPDX-License-Identifier: Apache-2.0
#include "search/space/space_builder.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "search/expressions/terms.hpp"
#include "search/space/space_check.hpp"
#include "search/space/space_states.hpp"

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

class Builder {
 public:
  using Node = RowGraph::Node;

  Builder(const SpaceDefinition& definition, std::size_t limit, std::size_t max_branches,
          const CountWatch& watch)
      : definition_(definition),
        limit_(limit),
        max_branches_(max_branches),
        branches_left_(max_branches),
        watch_(watch),
        scalars_(scalars_of(definition)),
        terms_(slots_of(definition)),
        plan_(plan_checks(definition, terms_)),
        states_(definition, scalars_, terms_),
        levels_(definition.parameters.size()),
        graph_(definition.parameters.size()) {
    const std::size_t count = definition.parameters.size();
    assignment_ = {std::vector<std::uint32_t>(count), std::vector<char>(count, 1)};
  }

  RowGraph build() {
    decide_existence(0);
    const std::optional<Node> root = passes(0) ? completions(0) : std::nullopt;
    return std::move(graph_).finish(root);
  }

 private:
  /// Returns all valid completions of the first `p` parameters' values, or nothing where there are none.
  std::optional<Node> completions(std::size_t p) {
    if (p == levels_.size()) return RowGraph::end_node;
    const auto [state, added] = states_.state(p, assignment_);
    if (!added) return levels_[p][state];
    if (++count_ > limit_) throw TooManyStates();
    levels_[p].emplace_back();
    const std::optional<Node> node = made(p);
    levels_[p][state] = node;
    return node;
  }

  std::optional<Node> made(std::size_t p) {
    const std::size_t first_branch = branches_.size();
    states_.begin(p + 1, assignment_);
    if (assignment_.exists[p] == 0) {
      terms_.pass_over(p);
      if (const auto child = descend(p)) branches_.push_back({0, *child});
    } else {
      const RowGraph::Digit first = definition_.parameters[p].exists_if ? 1 : 0;
      // A combination of values for a constraint costs about an eighth of a branch.
      const std::size_t tried = scalars_[p].size() + states_.take_tried() / 8;
      if (tried > branches_left_) throw TooManyStates();
      branches_left_ -= tried;
      for (std::uint32_t index = 0; index < scalars_[p].size(); ++index) {
        look_up();
        assignment_.indices[p] = index;
        terms_.assign(p, scalars_[p][index]);
        if (const auto child = descend(p)) branches_.push_back({first + index, *child});
      }
    }
    const auto node = graph_.node(std::span(branches_).subspan(first_branch));
    branches_.resize(first_branch);
    return node;
  }

  /// Asks the watch after some thousand values, which take milliseconds.
  void look_up() {
    constexpr std::size_t interval = 8192;
    if (++unwatched_ < interval || !watch_) return;
    unwatched_ = 0;
    if (!watch_(max_branches_ - branches_left_)) throw Stopped();
  }

  std::optional<Node> descend(std::size_t p) {
    decide_existence(p + 1);
    return passes(p + 1) ? completions(p + 1) : std::nullopt;
  }

  bool passes(std::size_t depth) {
    for (CheckPlan::Entry& entry : plan_.checks[depth]) {
      const SpaceCheck::Answer answer = entry.check.ask(assignment_, terms_);
      if (answer == SpaceCheck::Answer::no) return false;
      if (answer == SpaceCheck::Answer::failed && entry.complete) fail(entry.constraint, depth);
    }
    return true;
  }

  /// Looks up constants, and parameters that are assigned at `depth` and exist.
  Lookup lookup(std::size_t depth) const {
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

  void decide_existence(std::size_t depth) {
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
  [[noreturn]] void fail(std::size_t constraint, std::size_t depth) const {
    const Expr& rule = definition_.constraints[constraint].rule;
    std::string where;
    for (const std::string& name : rule.variables()) {
      const Value* value = lookup(depth)(name);
      if (value != nullptr) where += (where.empty() ? "" : ", ") + name + "=" + value->to_string();
    }
    if (!where.empty()) where = " at (" + where + ")";
    std::string reason;
    try {
      rule.evaluate(lookup(depth));
    } catch (const ExprError& error) {
      reason = error.what();
    }
    throw ConstraintError("constraint '" + rule.to_string() + "'" + where + ": " + reason, constraint);
  }

  const SpaceDefinition& definition_;
  std::size_t limit_;
  std::size_t max_branches_;
  std::size_t branches_left_;
  const CountWatch& watch_;
  std::size_t unwatched_ = 0;                 ///< values tried since the watch was asked
  std::size_t count_ = 0;                     ///< states looked at
  std::vector<std::vector<Scalar>> scalars_;  ///< of the parameters' values
  Terms terms_;
  CheckPlan plan_;
  SpaceStates states_;
  Assignment assignment_;
  std::vector<std::vector<std::optional<Node>>> levels_;  ///< the known completions of each state at a depth
  std::vector<RowGraphBuilder::Branch> branches_;         ///< of the nodes that are being made
  RowGraphBuilder graph_;
};

}  // namespace

RowGraph build_graph(const SpaceDefinition& definition, std::size_t limit, std::size_t max_branches,
                     const CountWatch& watch) {
  return Builder(definition, limit, max_branches, watch).build();
}

}  // namespace tune::search
