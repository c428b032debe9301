// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// The execution of a configuration at a small size: what it says of the time at a large one.
struct SmallRun {
  std::vector<Launch> launches;  ///< all steps; empty where some step is no launch
  double seconds = 0;            ///< the shortest of its executions, on the device
};

/// Returns the launches of a plan whose steps all are launches; none for another plan.
std::vector<Launch> launches_alone(const LaunchPlan& plan);

/// Returns the seconds that an execution of `plan` takes at least, if a launch takes the longer the more
/// often its blocks fill the device: the time of the small run, without what starting a launch takes, times
/// the smallest ratio of these counts over its kernels. `resident_blocks`: that the device holds at once. 0
/// where the small run says nothing: it is short, or it launched other kernels.
double least_seconds(const SmallRun& small, const LaunchPlan& plan, std::uint64_t resident_blocks);

}  // namespace tune
