// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tuner/device/device_properties.hpp"

namespace tune {

/// Limits of an architecture (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability")
/// as the facts of a nameless device with one multiprocessor and unknown rates: enough to enumerate a search
/// space and to compile for it where there is no GPU.
std::span<const std::string_view> known_architectures();

/// Throws UsageError for an architecture that is not in the table, naming those that are.
DeviceProperties architecture_properties(std::string_view architecture);

}  // namespace tune
