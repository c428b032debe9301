// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "search/expressions/terms.hpp"
#include "search/space/row_graph.hpp"
#include "search/space/space_check.hpp"
#include "search/space/space_definition.hpp"

namespace tune::search {

/// Describes all that the rest of a space's construction depends on once some parameters are assigned. Two
/// assignments with equal states have the same completions, so that only one of them has to be looked at.
///
/// A constraint that waits for parameters contributes the values of its known parts, not the parameters
/// themselves: `a * b * c <= 1024` contributes the product of a and b. Where a part decides that another one
/// does not matter (`a or b` with a true `a`), the other one is left out. Constraints that wait for few
/// values contribute their answers for all of these: whatever the product is, it matters which c it leaves.
class SpaceStates {
 public:
  /// `values`: of each parameter.
  SpaceStates(const SpaceDefinition& definition, const std::vector<std::vector<Scalar>>& values,
              Terms& terms);

  /// Notes what the states at `depth` have in common until the parameter before it is assigned again:
  /// parameters 0 .. depth-2 are assigned, and it is known whether depth-1 exists.
  void begin(std::size_t depth, const Assignment& assignment);

  /// Returns how many words described states so far.
  std::uint64_t steps() const { return steps_; }

  /// Returns the number of the state once parameters 0 .. depth-1 are assigned, and whether it is new.
  Interned::Found state(std::size_t depth, const Assignment& assignment);

 private:
  using Words = std::vector<std::uint32_t>;
  struct Mute {
    std::uint32_t part;  ///< an earlier one of the same depth
    bool boolean;        ///< where that is its truth, this part does not matter

    bool operator==(const Mute&) const = default;
  };
  struct Part {
    enum class Kind : std::uint8_t {
      missing,  ///< one of the parameters is known not to exist
      value,
      boolean,
      choice,  ///< of one parameter: its value's index, or that it does not exist
      alike,   ///< the set of the values of several terms
      rest     ///< the answers of some rules for all values of the few parameters that they wait for
    };
    Kind kind;
    std::size_t known_from = 0;                  ///< it changes with the parameter before this one
    std::uint32_t item = 0;                      ///< the term of value and boolean, the number of a Rest
    std::vector<std::uint32_t> parameters = {};  ///< that it mentions
    std::vector<Mute> mutes = {};
    std::vector<Terms::Id> terms = {};  ///< of `alike`
  };
  struct Parts {
    std::vector<Part> all;
    std::map<std::vector<std::uint32_t>, std::uint32_t> known = {};  ///< of values and truths: none twice
    std::vector<signed char> booleans = {};  ///< as they were described last; -1 for those that have none
  };
  /// The answers of a rule for all values of the parameters that it waits for.
  struct Answers {
    std::uint32_t mask = 0;  ///< a bit for each combination of values
    bool failed = false;     ///< some cannot be computed
  };
  /// A rule with some of its parameters known, at all depths where these are the same.
  struct RestRule {
    Terms::Id term;
    std::vector<std::size_t> waits_for = {};
    Parts parts = {};
    std::vector<std::uint32_t> numbers = {};     ///< of the parts, all of them
    std::vector<std::uint32_t> parameters = {};  ///< of the parts
    std::size_t known_from = 0;                  ///< the parts' last parameter is before this one
    std::uint64_t version = 0;                   ///< of that parameter, when `now` was looked up
    Interned keys = {};                          ///< the parts' descriptions
    std::vector<Answers> answers = {};           ///< by key
    Answers now = {};
    std::vector<std::uint32_t> key_now = {};  ///< where `now` failed
  };
  /// Rules that wait for the same parameters, which have few values together: only the values that all rules
  /// allow matter.
  struct Rest {
    std::vector<std::size_t> waits_for;
    std::vector<std::size_t> rules;  ///< their numbers
  };
  /// The parts that change with the same parameter. They are described once for each of its assignments.
  struct Group {
    std::size_t known_from;
    std::vector<std::uint32_t> parts;
    std::uint64_t version = 0;  ///< of the parameter when they were described
    std::uint32_t number = 0;   ///< of what was described, with all groups before
  };
  struct Level {
    Parts parts;
    std::vector<Rest> rests;
    std::vector<Group> groups;            ///< by parameter, without the last one that is assigned
    std::vector<std::uint32_t> changing;  ///< the parts that change with that one
    std::vector<std::size_t> decided;     ///< parameters to come whose existence is known
    std::uint32_t common = 0;             ///< number of what was described at `begin`
    Interned commons, states;
  };
  struct Rule {
    const Constraint* constraint;  ///< null for the condition of a parameter
    Expr expr;                     ///< with constants and parameters of a single value replaced
    Terms::Id term;
    std::vector<std::size_t> parameters;  ///< that it mentions, those with a single value too
    std::size_t last;
  };
  using Uses = std::vector<std::pair<const Rule*, std::vector<std::uint32_t>>>;

  void add_rules(const Constraint& constraint, const Expr& expr);
  Rule rule_of(const Constraint* constraint, const Expr& expr);
  void plan(std::size_t depth);
  /// Returns whether all rules are answered by rests, or, without these, whether some parts are alike.
  bool plan(std::size_t depth, bool with_rests);
  /// Finds parts that are alike. `uses`: the rules to come, each with the parts that it waits with. Returns
  /// whether there are any.
  bool join_alike(Parts& parts, const Uses& uses);
  /// Returns the rule without the parameter's name.
  const std::string& role(const Rule& rule, std::uint32_t parameter);
  /// Sorts the parts into groups.
  void group(std::size_t depth);
  std::size_t known_from(const Level& level, const Part& part) const;
  /// The conditional parameters that it needs and whose existence is known.
  std::vector<std::size_t> decided_by(const Rule& rule, std::size_t depth) const;
  void add_rule(const Rule& rule, const std::vector<Mute>& mutes, std::size_t depth, bool with_rests);
  /// Adds the rule to a Rest, or returns false where the parameters that it waits for have many values.
  bool add_rest(const Rule& rule, const std::vector<Mute>& mutes, std::size_t depth);
  /// Returns the number of the rule with what it waits for; a number without parts where nothing is known.
  std::size_t rest_rule(Terms::Id term, const std::vector<std::size_t>& waits_for, std::size_t depth);
  void gather(Parts& parts, Terms::Id term, bool as_boolean, std::vector<Mute> mutes, std::size_t depth);
  void gather_choice(Parts& parts, Terms::Id term, bool as_boolean, const std::vector<Mute>& mutes,
                     std::size_t depth);
  std::uint32_t add_known(Parts& parts, Terms::Id term, bool as_boolean, const std::vector<Mute>& mutes);
  bool known(Terms::Id term, std::size_t depth) const {
    return terms_.term(term).known_from > 0 && terms_.term(term).known_from <= depth;
  }
  std::vector<std::size_t> mentioned(const Expr& expr) const;
  bool is_conditional(std::size_t parameter) const {
    return definition_.parameters[parameter].exists_if.has_value();
  }
  void describe(const Level& level, Parts& parts, const std::vector<std::uint32_t>& numbers,
                const Assignment& assignment, Words& words);
  void describe_part(const Level& level, Parts& parts, std::uint32_t number, const Assignment& assignment,
                     Words& words);
  void add_decided(const Level& level, bool changing, std::size_t depth, const Assignment& assignment);
  void add_value(Terms::Id term, const Assignment& assignment, Words& words);
  void add_alike(const Part& part, const Assignment& assignment, Words& words);
  void add_rest_of(const Level& level, const Rest& rest, const Assignment& assignment, Words& words);
  void answer(const Level& level, RestRule& rule, const Assignment& assignment);
  Answers answers(const RestRule& rule);

  const SpaceDefinition& definition_;
  const std::vector<std::vector<Scalar>>& values_;
  Terms& terms_;
  std::map<std::string, Value, std::less<>> constants_;  ///< and parameters with a single value
  std::map<std::string, std::size_t> slots_;
  std::vector<std::size_t> decision_depth_;  ///< from where on a parameter's existence is known
  std::vector<Rule> rules_;                  ///< of all constraints
  std::map<std::size_t, Rule> conditions_;   ///< of the conditional parameters
  std::map<std::pair<const Rule*, std::uint32_t>, std::string> roles_;
  std::vector<Level> levels_;  ///< by depth
  std::vector<RestRule> rest_rules_;
  std::map<std::pair<Terms::Id, std::vector<std::size_t>>, std::size_t> rest_rule_numbers_;
  std::vector<std::uint32_t> added_;  ///< the parts that the rule that is planned waits with
  Words words_, key_;
  std::vector<Words> words_of_alike_;
  std::uint64_t steps_ = 0;
};

}  // namespace tune::search
