// SPDX-License-Identifier: Apache-2.0
// The same work with its data on the host: what a program pays that has nothing on the device yet.
#pragma once

#include "tuner/plan/launch_plan.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// `transfers`: none, the default, or included. Instances at the default leave it out.
SettingInfo transfers_setting();
/// Whether the instance asks for them.
bool with_transfers(const Instance& instance);

/// The plan between copies, all in order: inputs come from pinned host memory, where they lie without gaps,
/// and outputs return there. Contents of variables (BufferSpec::symbol) stay where they are. Throws Error for
/// what has no copy: textures, and inputs that the setup reads.
LaunchPlan between_transfers(LaunchPlan plan);

}  // namespace tune::kernels
