// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/core/backend.hpp"
#include "tuner/core/expectations.hpp"
#include "tuner/core/failure.hpp"
#include "tuner/core/launch_plan.hpp"
#include "tuner/core/tensor.hpp"

namespace tune {

/// Runs a plan on an expectation's inputs, checks all that can be checked, and gives the outputs in the types
/// that they have on the device.
Result<TensorSet> run_outputs(const LaunchPlan& plan, const Expectation& expectation, Backend& backend);

}  // namespace tune
