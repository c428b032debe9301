// SPDX-License-Identifier: Apache-2.0
#include "search/space/space_builder.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include "search/expressions/program.hpp"
#include "search/expressions/rewrite.hpp"
#include "search/space/space_check.hpp"

namespace tune::search {
namespace {

/// Describes all that the rest of a space's construction depends on once some parameters are assigned. Two
/// assignments with equal states have the same completions, so that only one of them has to be looked at.
///
/// A constraint that waits for parameters contributes the values of its known parts, not the parameters
/// themselves: `a * b * c <= 1024` contributes the product of a and b. Where a part decides that another one
/// does not matter (`a or b` with a true `a`), the other one is left out.
class SpaceStates {
  using Op = Expr::Op;

 public:
  explicit SpaceStates(const SpaceDefinition& definition);

  /// Appends the state once parameters 0 .. depth-1 are assigned.
  void describe(std::size_t depth, const Assignment& assignment, std::vector<std::uint32_t>& words);

 private:
  struct Mute {
    std::size_t part;  ///< an earlier one of the same depth
    bool boolean;      ///< where that is its truth, this part does not matter
  };
  /// A term with its value for the latest assignment.
  struct Computed {
    Program program;
    std::size_t last;           ///< of the parameters that it mentions
    std::uint64_t version = 0;  ///< of `last`, when the value was computed
    Scalar value = {};
    bool has_failed = false;
  };
  struct Part {
    enum class Kind : std::uint8_t {
      missing,  ///< one of the parameters is known not to exist
      value,
      boolean,
      choice  ///< of one parameter: its value's index, or that it does not exist
    };
    Kind kind;
    std::vector<std::size_t> parameters;           ///< that it mentions
    std::shared_ptr<Computed> computed = nullptr;  ///< of value and truth
    std::vector<Mute> mutes = {};
    std::size_t end = 0;  ///< of `missing`: the parts up to this one do not matter then
    /// Parts that the rest treats alike, this one included: only the set of their values matters. The first
    /// of them describes all; the list of the others is empty, and they are `described`.
    std::vector<std::size_t> alike = {};
    bool described = false;
    bool is_variable = false;  ///< the value of one parameter as it is
  };
  struct Level {
    std::vector<Part> parts;
    std::vector<std::size_t> decided;          ///< parameters to come whose existence is known
    std::map<std::string, std::size_t> known;  ///< of values and truths: no part twice
  };

  /// An expression with what planning asks of it at every depth.
  struct Term {
    Expr expr;
    std::vector<std::size_t> parameters;  ///< that it mentions
    std::size_t last = 0;                 ///< the depth from which on all of these are assigned
    std::vector<Term> operands = {};
    // Of the terms that become parts, made once.
    mutable std::string text = {};
    mutable std::shared_ptr<Computed> computed = nullptr;
  };
  struct Rule {
    const Constraint* constraint;
    Term term;
    std::vector<std::size_t> parameters;  ///< that the constraint mentions, those with a single value too
    std::size_t last;
  };

  Term term_of(const Expr& expr) const;
  void plan(std::size_t depth);
  /// Finds parts that are alike. `uses`: the rules to come, each with the parts that it waits with.
  void join_alike(Level& level,
                  const std::vector<std::pair<const Rule*, std::vector<std::size_t>>>& uses) const;
  void add_value(Part& part, const Assignment& assignment, std::vector<std::uint32_t>& words);
  void add_alike(std::vector<Part>& parts, const std::vector<std::size_t>& alike,
                 const Assignment& assignment, std::vector<std::uint32_t>& words);
  /// The conditional parameters that it needs and whose existence is known.
  std::vector<std::size_t> decided_by(const Rule& rule, std::size_t depth) const;
  void add_rule(const Rule& rule, std::size_t depth);
  void gather(const Term& term, bool as_boolean, std::vector<Mute> mutes, std::size_t depth);
  void gather_choice(const Term& term, bool as_boolean, const std::vector<Mute>& mutes, std::size_t depth);
  static void compute(Computed& computed, const Assignment& assignment);
  std::size_t add_known(const Term& term, bool as_boolean, const std::vector<Mute>& mutes, std::size_t depth);
  std::vector<std::size_t> mentioned(const Expr& expr) const;
  bool is_conditional(std::size_t parameter) const {
    return definition_.parameters[parameter].exists_if.has_value();
  }

  const SpaceDefinition& definition_;
  std::map<std::string, Value, std::less<>> constants_;  ///< and parameters with a single value
  std::map<std::string, std::size_t> slots_;
  std::vector<std::size_t> decision_depth_;  ///< from where on a parameter's existence is known
  std::vector<Rule> rules_;                  ///< of all constraints
  std::map<std::size_t, Rule> conditions_;   ///< of the conditional parameters
  std::vector<Level> levels_;                ///< by depth
  std::map<std::string, std::shared_ptr<Computed>> computed_;  ///< by the term's text
  std::vector<signed char> booleans_;  ///< of the parts while a state is described; -1 for others
  std::vector<std::size_t> added_;     ///< the parts that the rule that is planned waits with
  std::vector<std::vector<std::uint32_t>> words_of_alike_;
};

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

std::size_t last_of(const std::vector<std::size_t>& parameters) {
  return parameters.empty() ? 0 : std::ranges::max(parameters) + 1;
}

SpaceStates::SpaceStates(const SpaceDefinition& definition)
    : definition_(definition), constants_(definition.constants) {
  const std::vector<Parameter>& parameters = definition.parameters;
  for (std::size_t p = 0; p < parameters.size(); ++p) slots_[parameters[p].name] = p;
  for (const Parameter& parameter : parameters) {
    decision_depth_.push_back(parameter.exists_if ? last_of(mentioned(*parameter.exists_if)) : 0);
    if (parameter.values.size() == 1 && !parameter.exists_if)
      constants_.emplace(parameter.name, parameter.values.front());
  }
  const auto rule_of = [this](const Constraint* constraint, const Expr& expr) {
    auto all = mentioned(expr);
    const std::size_t last = last_of(all);
    return Rule{constraint, term_of(replace_variables(expr, constants_)), std::move(all), last};
  };
  for (const Constraint& constraint : definition.constraints)
    rules_.push_back(rule_of(&constraint, constraint.rule));
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if (parameters[p].exists_if) conditions_.emplace(p, rule_of(nullptr, *parameters[p].exists_if));
  levels_.resize(parameters.size());
  for (std::size_t depth = 0; depth < parameters.size(); ++depth) plan(depth);
}

SpaceStates::Term SpaceStates::term_of(const Expr& expr) const {
  Term term{expr, mentioned(expr)};
  term.last = last_of(term.parameters);
  for (const Expr& operand : expr.operands()) term.operands.push_back(term_of(operand));
  return term;
}

void SpaceStates::plan(std::size_t depth) {
  // Constraints that need the same conditional parameters are skipped together.
  std::map<std::vector<std::size_t>, std::vector<const Rule*>> by_decided;
  for (const Rule& rule : rules_)
    if (rule.last > depth) by_decided[decided_by(rule, depth)].push_back(&rule);
  Level& level = levels_[depth];
  std::vector<std::pair<const Rule*, std::vector<std::size_t>>> uses;
  for (const Rule* rule : by_decided[{}]) {
    added_.clear();
    add_rule(*rule, depth);
    uses.emplace_back(rule, added_);
  }
  const std::size_t always = level.parts.size();
  const auto always_known = level.known;
  for (const auto& [decided, rules] : by_decided) {
    if (decided.empty()) continue;
    const std::size_t missing = level.parts.size();
    level.parts.push_back({Part::Kind::missing, decided});
    for (const Rule* rule : rules) add_rule(*rule, depth);
    level.parts[missing].end = level.parts.size();
    level.known = always_known;
  }
  for (std::size_t p = depth; p < definition_.parameters.size(); ++p) {
    if (!is_conditional(p)) continue;
    if (decision_depth_[p] > depth) {
      added_.clear();
      add_rule(conditions_.at(p), depth);
      uses.emplace_back(&conditions_.at(p), added_);
    } else {
      level.decided.push_back(p);
    }
  }
  if (level.parts.size() == always) join_alike(level, uses);
}

/// Where every rule to come waits with one parameter alone, and two parameters stand in the same rules but
/// for their names (`c != a` and `c != b`), the rest depends on the set of their values.
void SpaceStates::join_alike(
    Level& level, const std::vector<std::pair<const Rule*, std::vector<std::size_t>>>& uses) const {
  const Value hole(std::string("\x01"));
  std::vector<std::vector<std::string>> roles(level.parts.size());
  std::vector<bool> single(level.parts.size(), true);
  for (const auto& [rule, parts] : uses) {
    const bool alone = std::ranges::all_of(parts, [&](std::size_t part) { return part == parts.front(); });
    for (const std::size_t part : parts) {
      const Part& known = level.parts[part];
      const bool is_parameter = known.kind == Part::Kind::value && known.mutes.empty() &&
                                known.parameters.size() == 1 && known.is_variable;
      const bool is_condition = rule->constraint == nullptr;  // each decides about another parameter
      if (!alone || !is_parameter || is_condition) {
        single[part] = false;
        continue;
      }
      roles[part].push_back(
          replace_variables(rule->term.expr, {{definition_.parameters[known.parameters[0]].name, hole}})
              .to_string());
    }
  }
  std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
  for (std::size_t part = 0; part < roles.size(); ++part) {
    if (!single[part] || roles[part].empty()) continue;
    std::ranges::sort(roles[part]);
    groups[roles[part]].push_back(part);
  }
  for (const auto& [role, parts] : groups) {
    if (parts.size() < 2) continue;
    for (const std::size_t part : parts) level.parts[part].described = true;
    level.parts[parts.front()].alike = parts;
  }
}

std::vector<std::size_t> SpaceStates::decided_by(const Rule& rule, std::size_t depth) const {
  std::vector<std::size_t> decided;
  for (const std::size_t p : rule.parameters)
    if (is_conditional(p) && decision_depth_[p] <= depth && !rule.constraint->required) decided.push_back(p);
  return decided;
}

void SpaceStates::add_rule(const Rule& rule, std::size_t depth) {
  // The parts do not determine what a condition or a required rule states without one of its parameters.
  const bool absent_counts = rule.constraint == nullptr || rule.constraint->required;
  if (!absent_counts ||
      std::ranges::none_of(rule.parameters, [this](std::size_t p) { return is_conditional(p); }))
    return gather(rule.term, true, {}, depth);
  for (const std::size_t p : rule.parameters)
    if (p < depth) levels_[depth].parts.push_back({Part::Kind::choice, {p}});
}

/// Adds the largest parts of the expression whose parameters are all assigned.
void SpaceStates::gather(const Term& term, bool as_boolean, std::vector<Mute> mutes, std::size_t depth) {
  if (term.expr.op() != Op::list && term.last <= depth) {
    if (term.last > 0) add_known(term, as_boolean, mutes, depth);
    return;
  }
  const auto& operands = term.operands;
  const bool first_known = !operands.empty() && operands[0].last > 0 && operands[0].last <= depth;
  switch (term.expr.op()) {
    case Op::logical_not:
      return gather(operands[0], true, std::move(mutes), depth);
    case Op::logical_and:
    case Op::logical_or:
      if (first_known) {
        const std::size_t first = add_known(operands[0], true, mutes, depth);
        mutes.push_back({first, term.expr.op() == Op::logical_or});
      } else {
        gather(operands[0], true, mutes, depth);
      }
      return gather(operands[1], true, std::move(mutes), depth);
    case Op::conditional:
      return gather_choice(term, as_boolean, mutes, depth);
    default:
      for (const Term& operand : operands) gather(operand, false, mutes, depth);
  }
}

void SpaceStates::gather_choice(const Term& term, bool as_boolean, const std::vector<Mute>& mutes,
                                std::size_t depth) {
  const auto& operands = term.operands;
  std::vector<Mute> then = mutes, otherwise = mutes;
  if (operands[0].last > 0 && operands[0].last <= depth) {
    const std::size_t condition = add_known(operands[0], true, mutes, depth);
    then.push_back({condition, false});
    otherwise.push_back({condition, true});
  } else {
    gather(operands[0], true, mutes, depth);
  }
  gather(operands[1], as_boolean, std::move(then), depth);
  gather(operands[2], as_boolean, std::move(otherwise), depth);
}

std::size_t SpaceStates::add_known(const Term& term, bool as_boolean, const std::vector<Mute>& mutes,
                                   std::size_t depth) {
  Level& level = levels_[depth];
  if (!term.computed) {
    term.text = term.expr.to_string();
    std::shared_ptr<Computed>& computed = computed_[term.text];
    if (!computed) computed = std::make_shared<Computed>(Computed{Program(term.expr, slots_), term.last - 1});
    term.computed = computed;
  }
  std::string name = (as_boolean ? "t " : "v ") + term.text;
  for (const Mute& mute : mutes) name += (mute.boolean ? " +" : " -") + std::to_string(mute.part);
  const auto [place, added] = level.known.try_emplace(std::move(name), level.parts.size());
  if (added) {
    level.parts.push_back(
        {as_boolean ? Part::Kind::boolean : Part::Kind::value, term.parameters, term.computed, mutes});
    level.parts.back().is_variable = term.expr.op() == Op::variable;
  }
  added_.push_back(place->second);
  return place->second;
}

std::vector<std::size_t> SpaceStates::mentioned(const Expr& expr) const {
  std::vector<std::size_t> parameters;
  for (const std::string& name : expr.variables())
    if (const auto slot = slots_.find(name); slot != slots_.end()) parameters.push_back(slot->second);
  return parameters;
}

void SpaceStates::compute(Computed& computed, const Assignment& assignment) {
  if (computed.version == assignment.versions[computed.last]) return;
  computed.version = assignment.versions[computed.last];
  computed.has_failed = false;
  try {
    computed.value = computed.program.run(assignment.values);
  } catch (const ExprError&) {
    computed.has_failed = true;
  }
}

void SpaceStates::describe(std::size_t depth, const Assignment& assignment,
                           std::vector<std::uint32_t>& words) {
  std::uint32_t bits = 1;  // the first of a word marks how many follow
  for (const std::size_t p : levels_[depth].decided) {
    bits = bits << 1U | (assignment.exists[p] != 0 ? 1U : 0U);
    if (bits < 1U << 31U) continue;
    words.push_back(bits);
    bits = 1;
  }
  words.push_back(bits);
  std::vector<Part>& parts = levels_[depth].parts;
  booleans_.assign(parts.size(), -1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    if (part.described) {
      if (!part.alike.empty()) add_alike(parts, part.alike, assignment, words);
      continue;
    }
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
        if (booleans_[i] != 0) i = part.end - 1;
        break;
      case Part::Kind::choice:
        words.push_back(choice_of(part.parameters[0], assignment));
        break;
      case Part::Kind::value:
        add_value(part, assignment, words);
        break;
      case Part::Kind::boolean:
        compute(*part.computed, assignment);
        if (part.computed->has_failed) {
          add_value(part, assignment, words);
        } else {
          booleans_[i] = part.computed->value.to_bool() ? 1 : 0;
          words.push_back(booleans_[i] != 0 ? part_yes : part_no);
        }
    }
  }
}

void SpaceStates::add_value(Part& part, const Assignment& assignment, std::vector<std::uint32_t>& words) {
  compute(*part.computed, assignment);
  if (!part.computed->has_failed) return add_scalar(part.computed->value, words);
  words.push_back(part_failed);
  for (const std::size_t p : part.parameters) words.push_back(choice_of(p, assignment));
}

/// Appends the set of their values.
void SpaceStates::add_alike(std::vector<Part>& parts, const std::vector<std::size_t>& alike,
                            const Assignment& assignment, std::vector<std::uint32_t>& words) {
  words_of_alike_.resize(alike.size());
  for (std::size_t i = 0; i < alike.size(); ++i) {
    words_of_alike_[i].clear();
    add_value(parts[alike[i]], assignment, words_of_alike_[i]);
  }
  std::ranges::sort(words_of_alike_);
  const auto end = std::unique(words_of_alike_.begin(), words_of_alike_.end());
  words.push_back(static_cast<std::uint32_t>(end - words_of_alike_.begin()));
  for (auto one = words_of_alike_.begin(); one != end; ++one)
    words.insert(words.end(), one->begin(), one->end());
}

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
        plan_(plan_checks(definition)),
        states_(definition),
        levels_(definition.parameters.size()),
        graph_(definition.parameters.size()) {
    const std::size_t count = definition.parameters.size();
    assignment_ = {std::vector<std::uint32_t>(count), std::vector<Scalar>(count), std::vector<char>(count, 1),
                   std::vector<std::uint64_t>(count)};
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
  /// Returns all valid completions of the first `p` parameters' values, or nothing where there are none.
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
      ++assignment_.versions[p];
      if (const auto child = descend(p)) branches.push_back({0, *child});
      return graph_.node(branches);
    }
    const RowGraph::Digit first = definition_.parameters[p].exists_if ? 1 : 0;
    if (scalars_[p].size() > branches_left_) throw TooManyStates();
    branches_left_ -= scalars_[p].size();
    for (std::uint32_t index = 0; index < scalars_[p].size(); ++index) {
      look_up();
      assignment_.indices[p] = index;
      assignment_.values[p] = scalars_[p][index];
      ++assignment_.versions[p];
      if (const auto child = descend(p)) branches.push_back({first + index, *child});
    }
    return graph_.node(branches);
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
    return std::ranges::all_of(plan_.checks[depth], [&](CheckPlan::Entry& entry) {
      try {
        return entry.check.passes(assignment_);
      } catch (const ExprError& error) {
        if (!entry.complete) return true;
        fail(entry.constraint, depth, error);
      }
    });
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
    for (const std::size_t p : plan_.decided[depth])
      assignment_.exists[p] = certainly_holds(definition_.parameters[p], lookup(depth)) ? 1 : 0;
  }

  [[noreturn]] void fail(std::size_t constraint, std::size_t depth, const ExprError& error) const {
    const Expr& rule = definition_.constraints[constraint].rule;
    std::string where;
    for (const std::string& name : rule.variables()) {
      const Value* value = lookup(depth)(name);
      if (value != nullptr) where += (where.empty() ? "" : ", ") + name + "=" + value->to_string();
    }
    if (!where.empty()) where = " at (" + where + ")";
    throw ConstraintError("constraint '" + rule.to_string() + "'" + where + ": " + error.what(), constraint);
  }

  /// The known completions of each state at a depth.
  struct Level {
    Interned states;
    std::vector<std::optional<Node>> nodes;
  };

  const SpaceDefinition& definition_;
  std::size_t limit_;
  std::size_t max_branches_;
  std::size_t branches_left_;
  const CountWatch& watch_;
  std::size_t unwatched_ = 0;  ///< values tried since the watch was asked
  std::size_t count_ = 0;      ///< states looked at
  CheckPlan plan_;
  SpaceStates states_;
  std::vector<std::vector<Scalar>> scalars_;  ///< of the parameters' values
  Assignment assignment_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> words_;
  RowGraphBuilder graph_;
};

}  // namespace

RowGraph build_graph(const SpaceDefinition& definition, std::size_t limit, std::size_t max_branches,
                     const CountWatch& watch) {
  return Builder(definition, limit, max_branches, watch).build();
}

}  // namespace tune::search
