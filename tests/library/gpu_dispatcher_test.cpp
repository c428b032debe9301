// SPDX-License-Identifier: Apache-2.0
// Runs and dispatchers of a problem in code on a GPU.
#include "tests/library/gpu_library.hpp"

namespace tune::testing {
namespace {

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
