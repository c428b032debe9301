// SPDX-License-Identifier: Apache-2.0
// Seconds that no configuration of a variant can beat (Problem::least_seconds). 0 where the device's figure
// is unknown.
#pragma once

#include <cstdint>

#include "tuner/device/device_properties.hpp"

namespace tune::kernels {

/// Returns the seconds that so many passes over an array take at least: each reads and writes all of it, but
/// for what the L2 cache keeps from one to the next. `array`: bytes.
double seconds_of_passes(double array, const DeviceProperties& device, std::int64_t passes);

/// Returns the seconds of so many operations at a peak rate [1/s].
double seconds_of_operations(double count, double peak);

}  // namespace tune::kernels
