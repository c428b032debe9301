// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// The execution of a configuration at a small size: what it says of the time at a large one.
struct SmallRun {
  std::vector<Launch> launches;  ///< all steps; empty where some step is no launch
  double items = 0;              ///< of the instance (ProblemCost)
  double seconds = 0;            ///< the shortest of its executions, on the device
};

/// Returns the launches of a plan whose steps all are launches; none for another plan.
std::vector<Launch> launches_alone(const LaunchPlan& plan);

/// The seconds of an execution at the size itself, by one at a small size. Both are 0 where that says
/// nothing: it is short, or it launched other kernels.
struct LargeRun {
  /// If a launch takes the longer the more often its blocks fill the device: the time of the small run,
  /// without what starting a launch takes, times the smallest ratio of these counts over its kernels.
  double least = 0;
  /// If a block also takes the longer the more items it computes: of blocks that are larger than a small
  /// problem this says too much.
  double likely = 0;
};

/// `items`: of the plan's instance. `resident_blocks`: that the device holds at once.
LargeRun large_run(const SmallRun& small, const LaunchPlan& plan, double items,
                   std::uint64_t resident_blocks);

}  // namespace tune
