// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gemm_stream/job.hpp"
#include "search/space/parameter.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {

/// Parameters and constraints.
search::SpaceDefinition gemm_stream_space(const StreamJob& job, const DeviceProperties& device);

}  // namespace tune::kernels
