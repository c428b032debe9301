// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/plan/command_plan.hpp"
#include "tuner/problem/problem.hpp"

namespace tune {

/// A facet of problems whose evaluation is a command on this machine, without a kernel.
class HasCommand {
 public:
  virtual ~HasCommand() = default;
  /// False where the problem has a kernel after all.
  virtual bool is_command() const = 0;
  virtual CommandPlan command(const Instance& instance, const Configuration& configuration) const = 0;
};

/// Null where the problem is null or has a kernel.
inline const HasCommand* find_command(const Problem* problem) {
  const auto* const found = dynamic_cast<const HasCommand*>(problem);
  return found != nullptr && found->is_command() ? found : nullptr;
}

}  // namespace tune
