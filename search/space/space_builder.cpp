// SPDX-License-Identifier: Apache-2.0
#include "search/space/space_builder.hpp"

#include <algorithm>

#include "search/space/space_check.hpp"
#include "search/space/space_state.hpp"

namespace tune::search {

namespace {

/// Whether the parameter exists. Throws ExprError where its condition fails although nothing in it is
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

class Builder {
 public:
  using Node = RowGraph::Node;

  Builder(const SpaceDefinition& definition, std::size_t limit)
      : definition_(definition),
        limit_(limit),
        plan_(plan_checks(definition)),
        states_(definition),
        levels_(definition.parameters.size()),
        graph_(definition.parameters.size()) {
    const std::size_t count = definition.parameters.size();
    assignment_ = {std::vector<std::uint32_t>(count), std::vector<Scalar>(count),
                   std::vector<char>(count, 1)};
    for (const Parameter& parameter : definition.parameters) {
      auto& scalars = scalars_.emplace_back();
      for (const Value& value : parameter.values) scalars.push_back(Scalar::of(value));
    }
  }

  RowGraph build() {
    decide_existence(0);
    const std::optional<Node> root = passes(0) ? completions(0) : std::nullopt;
    return std::move(graph_).finish(root);
  }

 private:
  /// All valid completions of the first `p` parameters' values; nothing where there are none.
  std::optional<Node> completions(std::size_t p) {
    if (p == levels_.size()) return RowGraph::end_node;
    words_.clear();
    states_.describe(p, assignment_, words_);
    const auto [state, added] = levels_[p].states.intern(words_);
    if (!added) return levels_[p].nodes[state];
    if (++count_ > limit_) throw TooManyStates();
    levels_[p].nodes.emplace_back();
    const std::optional<Node> node = made(p);
    levels_[p].nodes[state] = node;
    return node;
  }

  std::optional<Node> made(std::size_t p) {
    std::vector<RowGraphBuilder::Branch> branches;
    if (assignment_.exists[p] == 0) {
      if (const auto child = descend(p)) branches.push_back({0, *child});
      return graph_.node(branches);
    }
    const RowGraph::Digit first = definition_.parameters[p].exists_if ? 1 : 0;
    for (std::uint32_t index = 0; index < scalars_[p].size(); ++index) {
      assignment_.indices[p] = index;
      assignment_.values[p] = scalars_[p][index];
      if (const auto child = descend(p)) branches.push_back({first + index, *child});
    }
    return graph_.node(branches);
  }

  std::optional<Node> descend(std::size_t p) {
    decide_existence(p + 1);
    return passes(p + 1) ? completions(p + 1) : std::nullopt;
  }

  bool passes(std::size_t depth) {
    return std::ranges::all_of(plan_.checks[depth], [&](CheckPlan::Entry& entry) {
      try {
        return entry.check.passes(assignment_);
      } catch (const ExprError& error) {
        if (!entry.complete) return true;
        fail(entry.constraint, depth, error);
      }
    });
  }

  /// Looks up what is assigned at `depth` and exists, and constants.
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
    for (const std::size_t p : plan_.decided[depth]) {
      assignment_.exists[p] = certainly_holds(definition_.parameters[p], lookup(depth)) ? 1 : 0;
    }
  }

  [[noreturn]] void fail(std::size_t constraint, std::size_t depth, const ExprError& error) const {
    const Expr& rule = definition_.constraints[constraint].rule;
    std::string where;
    for (const std::string& name : rule.variables()) {
      const Value* value = lookup(depth)(name);
      if (value != nullptr) where += (where.empty() ? "" : ", ") + name + "=" + value->to_string();
    }
    if (!where.empty()) where = " at (" + where + ")";
    throw ExprError("constraint '" + rule.to_string() + "'" + where + ": " + error.what());
  }

  /// What is known of a depth: the completions of each state.
  struct Level {
    Interned states;
    std::vector<std::optional<Node>> nodes;
  };

  const SpaceDefinition& definition_;
  std::size_t limit_;
  std::size_t count_ = 0;  ///< states looked at
  CheckPlan plan_;
  SpaceStates states_;
  std::vector<std::vector<Scalar>> scalars_;  ///< of the parameters' values
  Assignment assignment_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> words_;
  RowGraphBuilder graph_;
};

}  // namespace

RowGraph build_graph(const SpaceDefinition& definition, std::size_t limit) {
  return Builder(definition, limit).build();
}

}  // namespace tune::search
