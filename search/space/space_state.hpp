// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "search/expressions/program.hpp"
#include "search/space/parameter.hpp"
#include "search/space/space_check.hpp"

namespace tune::search {

/// What the rest of a space's construction depends on once some parameters are assigned: two assignments with
/// equal states have the same completions, so that one of them has to be looked at.
///
/// Of a constraint that waits for parameters only the values of its parts that are known count, not the
/// parameters': of `a * b * c <= 1024` the product of a and b. Where a part decides that another one does not
/// matter (`a or b` with a true `a`), the other one is left out.
class SpaceStates {
 public:
  explicit SpaceStates(const SpaceDefinition& definition);

  /// Appends the state once parameters 0 .. depth-1 are assigned.
  void describe(std::size_t depth, const Assignment& assignment, std::vector<std::uint32_t>& words);

 private:
  struct Mute {
    std::size_t part;  ///< an earlier one of the same depth
    bool boolean;      ///< where that is its truth, this part does not matter
  };
  struct Part {
    enum class Kind : std::uint8_t {
      missing,  ///< whether one of the parameters is known not to exist
      value,
      boolean,
      choice,  ///< of one parameter: its value's index, or that it does not exist
      exists   ///< of one parameter
    };
    Kind kind;
    Program program;                      ///< of value and truth
    std::vector<std::size_t> parameters;  ///< that it mentions
    std::vector<Mute> mutes;
  };
  struct Level {
    std::vector<Part> parts;
    std::map<std::string, std::size_t> known;  ///< of values and truths: no part twice
  };

  void plan(std::size_t depth);
  void add_constraint(const Constraint& constraint, std::size_t depth);
  void add_condition(const Expr& condition, std::size_t depth);
  void gather(const Expr& expr, bool as_boolean, std::vector<Mute> mutes, std::size_t depth);
  void gather_choice(const Expr& expr, bool as_boolean, const std::vector<Mute>& mutes, std::size_t depth);
  void add_choices(const std::vector<std::size_t>& parameters, std::size_t depth);
  std::size_t add_known(const Expr& expr, bool as_boolean, const std::vector<Mute>& mutes, std::size_t depth);
  std::vector<std::size_t> mentioned(const Expr& expr) const;
  std::size_t last_depth(const Expr& expr) const;
  bool all_known(const Expr& expr, std::size_t depth) const;
  bool known_part(const Expr& expr, std::size_t depth) const;

  const SpaceDefinition& definition_;
  std::map<std::string, Value, std::less<>> constants_;  ///< and parameters with a single value
  std::map<std::string, std::size_t> slots_;
  std::vector<std::size_t> decision_depth_;  ///< from where on a parameter's existence is known
  std::vector<Level> levels_;                ///< by depth
  std::vector<signed char> booleans_;        ///< of the parts while a state is described; -1 for others
};

}  // namespace tune::search
