// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/device/device_properties.hpp"

namespace tune::kernels {

/// Returns the limits of an H100: those of sm_90, with 132 SMs.
inline DeviceProperties h100() {
  DeviceProperties properties = architecture_properties("sm_90");
  properties.multiprocessors = 132;
  return properties;
}

}  // namespace tune::kernels
