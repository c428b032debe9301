// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/backends/backend.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/evaluation/reference_data.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune {

/// Runs a plan on an expectation's inputs, checks all that can be checked, and gives the outputs in the types
/// that they have on the device.
Result<TensorSet> run_outputs(const LaunchPlan& plan, const ReferenceData& reference_data, Backend& backend);

}  // namespace tune
