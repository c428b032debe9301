// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"

namespace tune::cuda {

inline BufferSpec buffer(std::string name, Layout layout, BufferRole role,
                         ElementType type = ElementType::f32) {
  return {std::move(name), type, std::move(layout), role};
}

inline Launch launch(std::string entry, Dim3 grid, Dim3 block, std::vector<KernelArgument> arguments) {
  Launch made;
  made.entry = std::move(entry);
  made.grid = grid;
  made.block = block;
  made.arguments = std::move(arguments);
  return made;
}

/// A plan of one kernel.
inline LaunchPlan plan_of(std::string source, std::vector<BufferSpec> buffers, Launch launched) {
  LaunchPlan plan;
  plan.compile.source = {"test.cu", std::move(source)};
  plan.compile.entries = {launched.entry};
  plan.buffers = std::move(buffers);
  plan.launches = {std::move(launched)};
  return plan;
}

/// start, start + 1, ...
inline HostTensor counting(const Extents& extents, float start = 0) {
  HostTensor tensor(ElementType::f32, extents);
  float next = start;
  for (float& value : tensor.as<float>()) value = next++;
  return tensor;
}

inline std::vector<float> floats(const TensorView& view) {
  const auto* const first = reinterpret_cast<const float*>(view.bytes.data());
  return {first, first + view.bytes.size() / sizeof(float)};
}

inline std::int32_t as_i32(std::uint64_t value) {
  return static_cast<std::int32_t>(value);
}

inline MeasureOptions exactly(int samples) {
  MeasureOptions options;
  options.min_samples = options.max_samples = samples;
  return options;
}

/// Device 0, taken once for all tests of a suite; they are skipped where there is none.
class GpuTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!list_devices(&failure_reason_).empty()) backend_ = open_device(0);
  }
  static void TearDownTestSuite() { backend_.reset(); }
  void SetUp() override {
    if (backend_ == nullptr) GTEST_SKIP() << failure_reason_;
  }

  static Binary compile(const LaunchPlan& plan) {
    auto binary = backend_->compiler().compile(plan.compile);
    if (!binary) throw std::runtime_error(binary.error().detail);
    return std::move(*binary);
  }
  static Result<std::unique_ptr<PreparedPlan>> prepare(const LaunchPlan& plan) {
    return backend_->runner().prepare(plan, compile(plan));
  }
  /// Prepares and runs; throws where either fails.
  static std::unique_ptr<PreparedPlan> run(const LaunchPlan& plan, const TensorSet& inputs) {
    auto prepared = prepare(plan);
    if (!prepared) throw std::runtime_error(prepared.error().detail);
    const auto ran = (*prepared)->run_checked(views_of(inputs));
    if (!ran) throw std::runtime_error(ran.error().detail);
    return std::move(*prepared);
  }

  static inline std::unique_ptr<Backend> backend_;
  static inline std::string failure_reason_;
};

}  // namespace tune::cuda
