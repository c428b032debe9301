// SPDX-License-Identifier: Apache-2.0
// What tests of the library on a GPU share.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <tune/dispatcher.hpp>
#include <tune/tuner.hpp>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/backends/cuda/runtime/handles.hpp"

namespace tune::testing {

/// Elements of the arrays of the tests.
constexpr int n = 1 << 22;

/// Multiplies an array by a number.
inline api::Problem scale() {
  api::Problem problem("scale");
  problem.size("n", n)
      .parameter("BLOCK", {32, 64, 128, 256, 512}, 32)
      .parameter("ITEMS", {1, 2, 4})
      .output<float>("out", "n")
      .input<float>("in", "n")
      .scalar<float>("factor", 2)
      .scalar<int>("n", "n")
      .kernel(api::Kernel::from_source(
                  "extern \"C\" __global__ void scale(float* out, const float* in, float factor, int n) {\n"
                  "  for (int k = 0; k < ITEMS; ++k) {\n"
                  "    const int i = (blockIdx.x * ITEMS + k) * BLOCK + threadIdx.x;\n"
                  "    if (i < n) out[i] = factor * in[i];\n"
                  "  }\n}\n"),
              "scale")
      .grid("ceil_div(n, BLOCK * ITEMS)")
      .block("BLOCK")
      .reference([](api::HostData& data) {
        const auto in = data.input<float>("in");
        const auto out = data.result("out");
        for (std::size_t i = 0; i < out.size; ++i) out[i] = 2.0 * static_cast<double>(in[i]);
      })
      .check_at({{"n", 1003}});
  return problem;
}

class GpuLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string failure_reason;
    if (cuda::list_devices(&failure_reason).empty()) GTEST_SKIP() << failure_reason;
    setenv("TUNE_WORKER", TUNE_PROGRAM, 1);
    in_ = cuda::allocate_device(n * sizeof(float));
    out_ = cuda::allocate_device(n * sizeof(float));
    std::vector<float> values(n);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);
    cuda::check(cudaMemcpy(in_.data(), values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    stream_ = cuda::make_stream();
  }
  float* in() { return reinterpret_cast<float*>(in_.data()); }
  float* out() { return reinterpret_cast<float*>(out_.data()); }
  void expect_scaled(float factor, std::size_t count = n) {
    std::vector<float> values(count);
    cuda::check(cudaStreamSynchronize(stream_.get()));
    cuda::check(cudaMemcpy(values.data(), out_.data(), count * sizeof(float), cudaMemcpyDeviceToHost));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != factor * static_cast<float>(i % 1000)) ++wrong;
    EXPECT_EQ(wrong, 0U);
    cuda::check(cudaMemset(out_.data(), 0xff, n * sizeof(float)));
  }
  api::DispatchOptions options() {
    api::DispatchOptions all;
    all.database = (folder_.path() / "results.db").string();
    return all;
  }
  void settle(api::Dispatcher& dispatcher) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    for (int i = 0; !dispatcher.state().settled; ++i) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      const auto factor = static_cast<float>(i % 7 + 1);
      dispatcher.launch(stream_.get(), out(), in(), factor);
      if (i % 100 == 0) expect_scaled(factor);
      if (i % 8 == 0) cuda::check(cudaStreamSynchronize(stream_.get()));
    }
  }

  tune::testing::TemporaryFolder folder_;
  cuda::DeviceMemory in_, out_;
  cuda::Stream stream_;
};

}  // namespace tune::testing
