// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expressions/expr.hpp"
#include "search/expressions/value.hpp"

namespace tune::search {

/// The meaning of a parameter for the launch, as far as a search can use it.
enum class Role {
  other,
  threads,  ///< an extent of the block: the threads of a block are the product of all of these that exist
  work      ///< items a thread computes: all of these that exist multiply
};

/// A tunable with its ordered values.
struct Parameter {
  std::string name;           ///< lower_case; the kernel's macro is the same in upper case
  std::string documentation;  ///< what it is and in which unit, one sentence
  std::vector<Value> values;  ///< in order, without repetition, at least one
  Value default_value;        ///< what a careful engineer would start with; one of `values`
  /// The condition under which the parameter exists, over parameters declared before it and constants;
  /// without one it always exists. It exists only where the condition is certainly true: a comparison with a
  /// parameter that does not exist counts as unknown (see Expr::partially_evaluate).
  std::optional<Expr> exists_if = std::nullopt;
  Role role = Role::other;
};

/// Returns the values as messages list them: `16, 32, 64`.
std::string list_values(const Parameter& parameter);

/// A rule that every valid configuration satisfies.
struct Constraint {
  Expr rule;
  std::string reason;  ///< for messages: why a configuration that breaks it is not valid
  /// False: the rule does not apply to a configuration without a parameter that it mentions. True: such a
  /// configuration is valid only if the rest of the rule decides that it holds (`a or b` with a true `a`).
  bool required = false;
};

/// Determines a search space. A constraint that mentions a parameter which does not exist under the
/// configuration's variant does not apply to it, unless it is `required`.
struct SpaceDefinition {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  /// The names that expressions may mention besides parameters: extents, settings, limits of the device.
  std::map<std::string, Value, std::less<>> constants;
  /// What a careful engineer would start with under one value of the first parameter (the variant): values of
  /// some parameters, by name, that variant's among them; the others have their defaults. Need not be valid:
  /// the nearest valid configuration is meant. Names and values that are unknown here are ignored.
  std::vector<std::vector<std::pair<std::string, Value>>> guesses;
  /// An order in which the space is counted, however large it is, such as that of the program's own problems:
  /// these parameters first, then the others as they are declared. No other order is tried before.
  std::optional<std::vector<std::string>> counting_order = std::nullopt;
};

/// Allows texts without quotes, `loader == async`: a name that is neither a parameter nor a constant but a
/// value of some parameter becomes that text, and so does one that is compared with a parameter of which it
/// is a value (`last_axis == transform`, where there is a parameter `transform` too). Throws ExprError for a
/// name that is none of these; it names the nearest one.
Expr bind_names(const Expr& expr, const SpaceDefinition& definition);

/// Returns every name that an expression over the definition may mention: its parameters and constants.
std::vector<std::string> known_names(const SpaceDefinition& definition);

/// Checks one parameter as far as it stands alone. Throws std::invalid_argument that names it and what is
/// wrong with it: a name that cannot be one, or what is wrong with its values (see check_definition).
void check_parameter(const Parameter& parameter);

/// Checks the definition. Throws std::invalid_argument (ExprError for an expression) that names the parameter
/// or constraint and what is wrong with it: a name that cannot be one or is there twice, no values, a value
/// twice, a value that would read back differently from a configuration's text, a default that is not among
/// the values, a condition over a later parameter, an unknown name in an expression.
void check_definition(const SpaceDefinition& definition);

/// The value of the parameter that is meant, which may differ in kind: 1 for true, 2 for 2.0. Null where
/// there is none.
const Value* meant_value(const Parameter& parameter, const Value& typed);

/// Keeps only one value of a parameter, which becomes its default; the conditions of other parameters stay. A
/// number may differ in kind: 1 for true, 2 for 2.0. Throws std::invalid_argument that names the nearest
/// parameter, or lists the valid values.
SpaceDefinition pin(SpaceDefinition definition, std::string_view name, const Value& value);

/// Adds the user's condition as a required constraint, with names bound as in `bind_names` and the reason
/// `--where ...`: `loader == async` leaves no configuration without a loader.
SpaceDefinition restrict_to(SpaceDefinition definition, const Expr& where);

}  // namespace tune::search
