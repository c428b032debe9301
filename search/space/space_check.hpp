// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "search/expressions/terms.hpp"
#include "search/space/space_definition.hpp"

namespace tune::search {

/// The choices that are made so far while a space is built, indexed by parameter in declaration order. Their
/// values are in Terms.
struct Assignment {
  std::vector<std::uint32_t> indices;  ///< of values; meaningless where the parameter does not exist
  std::vector<char> exists;            ///< known as soon as the condition's parameters are assigned
};

/// A condition that is checked at one depth of the construction.
class SpaceCheck {
 public:
  enum class Answer : std::uint8_t { not_asked, no, yes, failed };

  /// `condition` is over parameters only, which `terms` has. `conditional` are those in it that may not
  /// exist: the check then passes, or, where it is `required`, does so only if what exists decides that it
  /// holds. The parameters must outlive the check.
  SpaceCheck(const Expr& condition, Terms& terms, std::vector<std::size_t> conditional,
             std::span<const Parameter> parameters, bool required);

  /// Returns yes where the assignment passes or the check does not apply to it, `failed` where the condition
  /// cannot be computed.
  Answer ask(const Assignment& assignment, Terms& terms) {
    for (const std::size_t parameter : conditional_)
      if (assignment.exists[parameter] == 0) return required_ ? ask_decided(assignment) : Answer::yes;
    const Terms::Term& term = terms.compute(term_);
    if (term.failed) return Answer::failed;
    return term.value.to_bool() ? Answer::yes : Answer::no;
  }

 private:
  struct Input {
    std::size_t parameter;
    std::size_t stride;
    std::size_t values;  ///< the index that stands for a parameter that does not exist
  };

  Answer ask_decided(const Assignment& assignment);
  bool decided(const Assignment& assignment) const;

  Expr condition_;
  std::span<const Parameter> parameters_;
  bool required_;
  Terms::Id term_;
  std::vector<std::size_t> conditional_;
  std::vector<Input> inputs_;
  /// Where a parameter does not exist, by the inputs' value indices; empty where that would be too large.
  std::vector<Answer> answers_;
};

/// The checks of a whole definition, by the depth at which each can be asked: `checks[d]` once parameters
/// 0 .. d-1 are assigned, `checks[0]` before the first.
struct CheckPlan {
  struct Entry {
    SpaceCheck check;
    std::size_t constraint;  ///< number in the definition
    bool complete;           ///< the whole rule; else only what follows from it, whose errors mean nothing
  };
  /// A conditional parameter whose existence is decided at a depth.
  struct Decision {
    SpaceCheck check;
    std::size_t parameter;
  };
  /// What a part of a rule must be for the rest to make the rule true.
  struct Limit {
    Terms::Bound bound;
    std::vector<std::size_t> conditional;  ///< the rule applies only where these exist

    bool holds(const Assignment& assignment, Terms& terms) const;
  };
  std::vector<std::vector<Entry>> checks;
  std::vector<std::vector<Limit>> limits;
  std::vector<std::vector<Decision>> decided;
};

CheckPlan plan_checks(const SpaceDefinition& definition, Terms& terms);

}  // namespace tune::search
