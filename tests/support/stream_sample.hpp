// SPDX-License-Identifier: Apache-2.0
// A plan that copies pieces to the device, doubles them there and copies them back, on three streams.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/plan/launch_plan.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::testing {

/// Pieces of `in` take turns on two slots of device memory: copies to the device run on stream 0, kernels on
/// stream 1, copies back on stream 2. Rows of host and device lie differently far apart.
struct StreamSample {
  static constexpr std::uint64_t row = 37, rows = 5, slots = 2;
  explicit StreamSample(std::uint64_t pieces = 5, MemoryPlace place = MemoryPlace::pinned);

  LaunchPlan plan;
  TensorSet inputs;
  TensorSet reference;

  /// Steps of a piece.
  static std::size_t copy_in(std::size_t piece) { return 3 * piece; }
  static std::size_t kernel(std::size_t piece) { return 3 * piece + 1; }
  static std::size_t copy_out(std::size_t piece) { return 3 * piece + 2; }
  /// Step `later` waits no more for step `earlier`.
  void forget(std::size_t later, std::size_t earlier) {
    std::erase(std::visit([](auto& step) -> StepOrder& { return step.order; }, plan.launches.at(later)).after,
               earlier);
  }
};

inline StreamSample::StreamSample(std::uint64_t pieces, MemoryPlace place) {
  plan.compile.source = {"twice.cu", R"(
extern "C" __global__ void twice(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2 * in[i];
})"};
  plan.compile.entries = {"twice"};
  constexpr std::uint64_t wide = row + 3;  // of a row on the host
  constexpr std::uint64_t piece = row * rows;
  const Layout host{{row, rows, pieces}, {1, wide, wide * rows}, 2, wide * rows * pieces + 2};
  plan.buffers = {{"in", ElementType::f32, host, BufferRole::input},
                  {"out", ElementType::f32, host, BufferRole::output},
                  {"sent", ElementType::f32, Layout::dense({piece * slots}), BufferRole::scratch},
                  {"made", ElementType::f32, Layout::dense({piece * slots}), BufferRole::scratch}};
  plan.buffers[0].place = plan.buffers[1].place = place;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::uint64_t slot = i % slots * piece;
    const std::size_t before = i - slots;  // the piece that had the slot
    Copy to_device{{"in", i * wide * rows, wide}, {"sent", slot, row}, row, rows, {0, {}}};
    Launch twice{.entry = "twice",
                 .grid = {2, 1, 1},
                 .block = {128, 1, 1},
                 .arguments = {BufferArgument{"sent", slot, piece}, BufferArgument{"made", slot, piece},
                               ScalarArgument{static_cast<std::int32_t>(piece)}},
                 .order = {1, {copy_in(i)}}};
    Copy to_host{{"made", slot, row}, {"out", i * wide * rows, wide}, row, rows, {2, {kernel(i)}}};
    if (i >= slots) {
      to_device.order.after = {kernel(before)};
      twice.order.after.push_back(copy_out(before));
    }
    plan.launches.insert(plan.launches.end(), {to_device, twice, to_host});
  }
  HostTensor in(ElementType::f32, host.extents);
  HostTensor out(ElementType::f64, host.extents);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in.as<float>()[i] = static_cast<float>(i) + 0.5f;
    out.as<double>()[i] = 2.0 * static_cast<double>(i) + 1.0;
  }
  inputs.emplace("in", std::move(in));
  reference.emplace("out", std::move(out));
}

}  // namespace tune::testing
