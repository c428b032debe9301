// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/base/failure.hpp"
#include "tuner/device/device_properties.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// The bytes and the alignment of a tensor map as a kernel's parameter.
inline constexpr std::size_t tensor_map_bytes = 128, tensor_map_alignment = 128;

/// True where the device has the copy engine that reads tensor maps: compute capability 9.0 and later, or
/// unknown (the emulator).
bool has_tensor_maps(const DeviceProperties& device);

/// Returns a map over all of a buffer's logical tensor, by its layout.
TensorMapSpec map_of(const BufferSpec& buffer, std::vector<std::uint32_t> box);

/// Returns the bytes of an element of the map, over a buffer of this type.
std::uint64_t map_element_size(ElementType type, const TensorMapSpec& map);

/// Returns the bytes that one copy of a box writes to shared memory.
std::uint64_t box_bytes(const BufferSpec& buffer, const TensorMapSpec& map);

/// Returns Failure{resources, "tensor map"} for a map that no device takes, with the cure in one line.
/// Problems call it when they build a plan; backends call it again.
Result<void> check_tensor_map(const BufferSpec& buffer, const TensorMapSpec& map);
/// Checks all maps of a plan, and that the device has the copy engine.
Result<void> check_tensor_maps(const DeviceProperties& device, const LaunchPlan& plan);

}  // namespace tune
