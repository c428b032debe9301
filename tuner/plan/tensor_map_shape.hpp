// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/base/failure.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// Bytes that a kernel's parameter has, and its alignment.
inline constexpr std::size_t tensor_map_bytes = 128, tensor_map_alignment = 128;

/// Whether the device has the copy engine that reads tensor maps: compute capability 9.0 and later, or
/// nothing is known of it (the emulator).
bool has_tensor_maps(const DeviceProperties& device);

/// A map over all of a buffer's logical tensor, by its layout.
TensorMapSpec map_of(const BufferSpec& buffer, std::vector<std::uint32_t> box);

/// Bytes that one copy of a box writes to shared memory.
std::uint64_t box_bytes(const BufferSpec& buffer, const TensorMapSpec& map);

/// Failure{resources, "tensor map"} for what no device takes, in one line that says what to do about it.
/// Whoever builds a plan asks before; backends ask again.
Result<void> check_tensor_map(const BufferSpec& buffer, const TensorMapSpec& map);
/// The same of all maps of a plan, and whether the device has what reads them.
Result<void> check_tensor_maps(const DeviceProperties& device, const LaunchPlan& plan);

}  // namespace tune
