// SPDX-License-Identifier: Apache-2.0
// Plans of stencil jobs through the emulator, against the steps one after another.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/stencil/model/job.hpp"
#include "tests/support/emulated.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::kernels::testing {

/// A job with a plan for it.
struct PlannedJob {
  std::string name;  ///< for messages
  StencilJob job;
  LaunchPlan plan;
};

/// nx x ny x nz cells in the axes of the kernels; ny is 1 in two dimensions.
StencilJob small_job(const Stencil& stencil, std::array<std::int64_t, 3> extents, ElementType type,
                     Boundary boundary, std::int64_t steps);

/// What becomes of each of them, in their order; sources that are equal are compiled once. A plan without a
/// tolerance of its own is held against that of the steps one by one.
std::vector<emulator::CheckVerdict> emulated(const std::vector<PlannedJob>& planned,
                                             emulator::Flavour flavour);

using tune::testing::complaint;

}  // namespace tune::kernels::testing
