// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "search/expressions/program.hpp"
#include "search/space/space_definition.hpp"

namespace tune::search {

/// The values that are assigned so far while a space is built, indexed by parameter in declaration order.
struct Assignment {
  std::vector<std::uint32_t> indices;  ///< of values; meaningless where the parameter does not exist
  std::vector<Scalar> values;
  std::vector<char> exists;  ///< known as soon as the condition's parameters are assigned
  /// Changes with each assignment of a parameter. Parameters are assigned in order, so as long as it is the
  /// same, so are the values of those before.
  std::vector<std::uint64_t> versions;
};

/// A check at one depth of the construction, with its answers remembered.
class SpaceCheck {
 public:
  /// `condition` is over parameters only, numbered by `slots`. `conditional` are those in it that may not
  /// exist: the check then passes, or, where it is `required`, does so only if what exists decides that it
  /// holds. The parameters must outlive the check.
  SpaceCheck(const Expr& condition, const std::map<std::string, std::size_t>& slots,
             std::vector<std::size_t> conditional, std::span<const Parameter> parameters, bool required);

  /// True when the assignment passes, or the check does not apply to it. Throws ExprError.
  bool passes(const Assignment& assignment);

 private:
  enum class Answer : std::uint8_t { not_asked, no, yes };
  struct Input {
    std::size_t parameter;
    std::size_t stride;
    std::size_t values;  ///< the index that stands for a parameter that does not exist
  };

  bool decided(const Assignment& assignment) const;

  Expr condition_;
  std::span<const Parameter> parameters_;
  bool required_;
  Program program_;
  std::vector<std::size_t> conditional_;
  std::vector<Input> inputs_;
  std::vector<Answer> answers_;  ///< by the inputs' value indices; empty where that would be too large
};

/// The checks of a whole definition, by the depth at which each can be asked: `checks[d]` once parameters
/// 0 .. d-1 are assigned, `checks[0]` before the first.
struct CheckPlan {
  struct Entry {
    SpaceCheck check;
    std::size_t constraint;  ///< number in the definition
    bool complete;           ///< the whole rule; else only what follows from it, whose errors mean nothing
  };
  std::vector<std::vector<Entry>> checks;
  /// For each depth, the conditional parameters whose existence is decided there.
  std::vector<std::vector<std::size_t>> decided;
};

CheckPlan plan_checks(const SpaceDefinition& definition);

}  // namespace tune::search
