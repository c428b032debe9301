// SPDX-License-Identifier: Apache-2.0
// Plans whose data lies on the host and is copied with every execution.
#pragma once

#include "tuner/plan/launch_plan.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Returns the setting `transfers`: none (the default) or included. Instances at the default leave it out.
SettingInfo transfers_setting();
bool with_transfers(const Instance& instance);

/// Returns the plan between copies, all in order: inputs come from pinned host memory, where they lie without
/// gaps, and outputs return there. Buffers with a symbol (BufferSpec::symbol) stay as they are. Throws Error
/// for textures and for inputs that the setup reads: they have no copy.
LaunchPlan between_transfers(LaunchPlan plan);

}  // namespace tune::kernels
