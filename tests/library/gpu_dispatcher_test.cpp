// SPDX-License-Identifier: Apache-2.0
// Runs and dispatchers of a problem in code on a GPU.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <tune/dispatcher.hpp>
#include <tune/tuner.hpp>

#include "tests/support/temporary_folder.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"
#include "tuner/backends/cuda/runtime/handles.hpp"

namespace tune::testing {
namespace {

constexpr int n = 1 << 22;

api::Problem scale() {
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
  void expect_scaled(float factor) {
    std::vector<float> values(n);
    cuda::check(cudaStreamSynchronize(stream_.get()));
    cuda::check(cudaMemcpy(values.data(), out_.data(), n * sizeof(float), cudaMemcpyDeviceToHost));
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

TEST_F(GpuLibrary, ARunMeasuresAndStores) {
  api::Options all;
  all.database = (folder_.path() / "results.db").string();
  all.strategy = "grid";
  const api::Result result = api::Tuner(all).run(scale());
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.right, 15U);
  EXPECT_GT(result.best->seconds, 0);
  EXPECT_GT(result.limit, 0);
  EXPECT_GT(result.run, 0);
}

TEST_F(GpuLibrary, ADispatcherSettlesAndEveryCallIsRight) {
  api::Configuration best;
  {
    api::Dispatcher dispatcher(scale(), {}, options());
    settle(dispatcher);
    const api::DispatchState state = dispatcher.state();
    EXPECT_EQ(state.notice, "");
    EXPECT_EQ(state.failed, 0U);
    EXPECT_GE(state.tried, 10U);
    EXPECT_GT(state.best_seconds, 0);
    EXPECT_LE(state.lost, 0.15 * state.seconds);
    best = state.configuration;
    std::printf("%s, %.2f us, lost %.1f %% of %.0f ms in %llu calls\n", best.to_string().c_str(),
                1e6 * state.best_seconds, 100 * state.lost / state.seconds, 1e3 * state.seconds,
                static_cast<unsigned long long>(state.calls));
  }
  api::Dispatcher next(scale(), {}, options());
  EXPECT_EQ(next.state().configuration, best);
}

TEST_F(GpuLibrary, CallsIntoAGraphAreTheBest) {
  api::DispatchOptions none = options();
  none.slowdown = 0;
  api::Dispatcher dispatcher(scale(), {}, none);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cuda::check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal));
  dispatcher.launch(stream_.get(), out(), in(), 3.0f);
  cuda::check(cudaStreamEndCapture(stream_.get(), &graph));
  cuda::check(cudaGraphInstantiate(&executable, graph, 0));
  cuda::check(cudaGraphLaunch(executable, stream_.get()));
  expect_scaled(3);
  cuda::check(cudaGraphExecDestroy(executable));
  cuda::check(cudaGraphDestroy(graph));
}

}  // namespace
}  // namespace tune::testing
