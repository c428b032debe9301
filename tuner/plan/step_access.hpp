// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// Elements of a buffer's allocation that a step may touch: `rows` times `width` of them, `pitch` apart.
struct StepAccess {
  std::string buffer;
  std::uint64_t begin = 0;
  std::uint64_t width = 0;
  std::uint64_t pitch = 0;
  std::uint64_t rows = 1;
  bool writes = false;
};

/// All that a step touches, of a plan for which check_access has nothing to say.
std::vector<StepAccess> accesses_of(const LaunchPlan& plan, const PlanStep& step);

/// An element that is part of both; nothing where there is none.
std::optional<std::uint64_t> shared_element(const StepAccess& a, const StepAccess& b);

/// Throws Error where a step's arguments or ranges are not possible: see check_steps.
void check_access(const LaunchPlan& plan, const PlanStep& step);

}  // namespace tune
