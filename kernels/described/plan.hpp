// SPDX-License-Identifier: Apache-2.0
// A plan of a definition's launches.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "kernels/described/definition.hpp"
#include "kernels/described/kernel_files.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::definition {

/// What formulas may name: sizes, settings, `ProblemSize` (the sizes as a list), and parameters.
class FormulaScope {
 public:
  /// Sizes and settings, and of each parameter the list of its values.
  FormulaScope(const Definition& definition, const Instance& instance);
  /// Sizes and settings, and the parameters' values.
  FormulaScope(const Definition& definition, const Instance& instance, const Configuration& configuration);

  const FormulaValue* find(std::string_view name) const;
  /// Valid as long as this.
  Names names() const;
  /// Numbers and words by name, as macros and name expressions take them: true is 1.
  const std::map<std::string, std::string>& words() const { return words_; }

 private:
  void add(const std::string& name, const Value& value);

  std::map<std::string, FormulaValue, std::less<>> values_;
  std::map<std::string, std::string> words_;
};

/// A number as a kernel's argument of that type; nothing where it is beyond the type. Throws
/// search::ExprError where it is no number of that kind.
std::optional<ScalarArgument> scalar_of(ElementType type, const FormulaValue& value);

struct PlanParts {
  const Definition& definition;
  const KernelFile& kernel;
  const KernelText& text;
  const std::vector<LaunchDefinition>& launches;
  const std::vector<Argument>& arguments;  ///< with their types
};

/// `extents`: of every vector, by name. Failure{constraint} where a grid or block is empty or too large.
Result<LaunchPlan> make_plan(const PlanParts& parts, const Instance& instance,
                             const Configuration& configuration,
                             const std::map<std::string, Extents>& extents);

}  // namespace tune::definition
