// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gemm_stream/job.hpp"
#include "search/space/space_definition.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

search::SpaceDefinition gemm_stream_space(const StreamJob& job, const DeviceProperties& device);

/// Plans a configuration: inputs `a` and `b` and output `c` on the host, and on the device room for the
/// pieces under way.
Result<LaunchPlan> plan_gemm_stream(const StreamJob& job, const search::Configuration& configuration,
                                    const KernelSources& sources);

}  // namespace tune::kernels
