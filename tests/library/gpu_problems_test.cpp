// SPDX-License-Identifier: Apache-2.0
// Captures, dispatchers for all sizes, variables of kernels, steps between launches and code of the host on a
// GPU. What these problems compute is checked on the emulator, too, for which no GPU is needed.
#include <gmock/gmock.h>

#include <filesystem>
#include <thread>

#include "library/dispatcher/dispatcher_c.hpp"
#include "library/tuner/tuner_c.hpp"
#include "tests/library/gpu_library.hpp"

namespace tune::testing {
namespace {

constexpr std::size_t few = 100'000;

/// Sums of three neighbours with weights that the program sets.
api::Problem weighted() {
  api::Problem problem("weighted");
  problem.size("n", static_cast<std::int64_t>(few))
      .parameter("BLOCK", {64, 128, 256})
      .parameter("ITEMS", {1, 2})
      .output<float>("out", "n")
      .input<float>("in", "n")
      .scalar<int>("n", "n")
      .symbol<float>("weights", 3)
      .kernel(api::Kernel::from_source(
                  "__constant__ float weights[3];\n"
                  "extern \"C\" __global__ void weighted(float* out, const float* in, int n) {\n"
                  "  for (int k = 0; k < ITEMS; ++k) {\n"
                  "    const int i = (blockIdx.x * ITEMS + k) * BLOCK + threadIdx.x;\n"
                  "    if (i < n)\n"
                  "      out[i] = weights[0] * in[max(i - 1, 0)] + weights[1] * in[i] +\n"
                  "               weights[2] * in[min(i + 1, n - 1)];\n"
                  "  }\n}\n"),
              "weighted")
      .grid("ceil_div(n, BLOCK * ITEMS)")
      .block("BLOCK")
      .check_at({{"n", 1003}});
  return problem;
}

/// Counts elements by their remainder: the counters are zero before, by a step of the definition. A kernel
/// judges the counters.
api::Problem counting() {
  return api::Problem::from_text(
      R"json({"problem": "counting", "kernel": "counting.cu", "sizes": {"n": 100000},
    "check": [{"n": 1600}],
    "parameters": {"BLOCK": [64, 256], "ITEMS": [1, 4]},
    "arguments": {"count": {"type": "int32", "size": 16, "access": "write", "expect": {"formula": "n / 16"}},
                  "saved": {"type": "int32", "size": 16, "access": "write"},
                  "n": {"type": "int32", "value": "n"}},
    "launches": [{"zero": "count"},
                 {"entry": "counting", "grid": "ceil_div(n, BLOCK * ITEMS)", "block": "BLOCK",
                  "arguments": ["count", "n"]},
                 {"copy": {"from": "count", "to": "saved"}}],
    "verify": {"launches": {"entry": "judge", "grid": 1, "block": 16, "arguments": ["saved", "n", "verdict"]}}
  })json",
      ".", {{"counting.cu", R"(
extern "C" __global__ void counting(int* count, int n) {
  for (int k = 0; k < ITEMS; ++k) {
    const int i = (blockIdx.x * ITEMS + k) * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(count + i % 16, 1);
  }
}
extern "C" __global__ void judge(const int* saved, int n, unsigned long long* verdict) {
  if (saved[threadIdx.x] != n / 16) {
    atomicAdd(verdict, 1ull);
    verdict[1] = threadIdx.x;
  }
}
)"}});
}

/// Doubles an array four times between two arrays, and is judged by a kernel.
api::Problem doubling() {
  return api::Problem::from_text(
      R"json({"problem": "doubling", "kernel": "doubling.cu", "sizes": {"n": 100000},
    "check": [{"n": 1003}],
    "parameters": {"BLOCK": [64, 128, 256]},
    "arguments": {"a": {"type": "float", "size": "n", "access": "both", "fill": 1},
                  "b": {"type": "float", "size": "n", "access": "scratch"},
                  "factor": {"type": "float", "value": 2},
                  "n": {"type": "int32", "value": "n"}},
    "launches": {"entry": "doubling", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK", "repeat": 4,
                 "swap": ["a", "b"]},
    "verify": {"launches": {"entry": "judge", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK",
                            "arguments": ["a", "n", "verdict"]}}
  })json",
      ".", {{"doubling.cu", R"(
extern "C" __global__ void doubling(const float* a, float* b, float factor, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) b[i] = factor * a[i];
}
extern "C" __global__ void judge(const float* a, int n, unsigned long long* verdict) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n && a[i] != 16) {
    atomicAdd(verdict, 1ull);
    verdict[1] = i;
  }
}
)"}});
}

/// Halves numbers until code of the host finds that all are small.
api::Problem halving() {
  api::Problem problem("halving");
  problem.size("n", static_cast<std::int64_t>(few))
      .parameter("BLOCK", {64, 128, 256})
      .inout<float>("x", "n", api::constant(80))
      .scratch<int>("open", 1)
      .scalar<int>("n", "n")
      .kernel(api::Kernel::from_source(
                  "extern \"C\" __global__ void begin(float* x, int* open, int n) { *open = 0; }\n"
                  "extern \"C\" __global__ void halve(float* x, int* open, int n) {\n"
                  "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                  "  if (i >= n) return;\n  x[i] /= 2;\n"
                  "  if (x[i] >= 6) atomicAdd(open, 1);\n}\n"),
              "begin")
      .grid(1)
      .block(1)
      .launch("halve")
      .grid("ceil_div(n, BLOCK)")
      .block("BLOCK")
      .repeat_while([](api::HostArrays& arrays) {
        const bool more = arrays.read<int>("open") > 0;
        arrays.write<int>("open", 0, {0});
        return more;
      })
      .reference([](api::HostData& data) {
        for (double& value : data.result("x")) value = 5;
      })
      .check_at({{"n", 1003}});
  return problem;
}

TEST(GpuLibraryProblems, AreRightOnTheEmulator) {
  const tune::testing::TemporaryFolder folder;
  api::Options options;
  options.device = "emulator";
  options.strategy = "grid";
  options.database = (folder.path() / "results.db").string();
  api::Tuner tuner(options);
  for (const api::Problem& problem : {weighted(), counting(), doubling(), halving()}) {
    const api::Result result = tuner.run(problem);
    EXPECT_EQ(result.right, result.space_size)
        << problem.name() << ": " << (result.wrong.empty() ? "" : result.wrong.front().failure->detail);
  }
}

class GpuProblems : public GpuLibrary {
 protected:
  ~GpuProblems() override {
    unsetenv("TUNE_CAPTURE");
    unsetenv("TUNE_CAPTURE_DIR");
  }
  api::Result run(const api::Problem& problem, bool in_process = false) {
    api::Options all;
    all.database = (folder_.path() / "results.db").string();
    all.strategy = "grid";
    all.in_process = in_process;
    return api::Tuner(all).run(problem);
  }
  void expect_all_right(const api::Result& result) {
    ASSERT_TRUE(result.best) << (result.wrong.empty() ? "nothing ran" : result.wrong.front().failure->detail);
    EXPECT_EQ(result.right, result.space_size)
        << (result.wrong.empty() ? "" : result.wrong.front().failure->detail);
    EXPECT_GT(result.best->seconds, 0);
  }
  std::vector<float> results(std::size_t count) {
    std::vector<float> values(count);
    cuda::check(cudaStreamSynchronize(stream_.get()));
    cuda::check(cudaMemcpy(values.data(), out_.data(), count * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
  }
};

TEST_F(GpuProblems, ACapturedCallIsTunedWithItsData) {
  setenv("TUNE_CAPTURE", "scale", 1);
  setenv("TUNE_CAPTURE_DIR", (folder_.path() / "captured").c_str(), 1);
  api::DispatchOptions none = options();
  none.slowdown = 0;
  {
    api::Dispatcher dispatcher(scale(), {{"n", static_cast<std::int64_t>(few)}}, none);
    dispatcher.launch(stream_.get(), out(), in(), 3.0f);
    EXPECT_THAT(dispatcher.state().notice, ::testing::HasSubstr("is captured"));
    expect_scaled(3, few);
  }
  unsetenv("TUNE_CAPTURE");
  const std::filesystem::path folder = folder_.path() / "captured" / "scale-100000";
  EXPECT_EQ(std::filesystem::file_size(folder / "in.before.bin"), few * sizeof(float));
  const api::Problem captured = api::Problem::from_definition((folder / "scale.json").string());
  expect_all_right(run(captured));
  // Its outputs are compared with those of the call.
  std::filesystem::resize_file(folder / "out.after.bin", 0);
  std::filesystem::resize_file(folder / "out.after.bin", few * sizeof(float));
  api::Options all;
  all.database = (folder_.path() / "other.db").string();
  const api::Evaluation other =
      api::Tuner(all).evaluate(api::Problem::from_definition((folder / "scale.json").string()), {});
  ASSERT_TRUE(other.failure);
  EXPECT_EQ(other.failure->phase, "verify");
}

TEST_F(GpuProblems, OneObjectServesAllSizes) {
  api::Dispatchers all(scale(), options(), 3);
  for (int i = 0; i < 60; ++i)
    for (const int count : {1000, 5000, static_cast<int>(few)}) {
      const auto factor = static_cast<float>(i % 7 + 1);
      all.launch(stream_.get(), out(), in(), factor, count);
      if (i % 10 == 0) expect_scaled(factor, static_cast<std::size_t>(count));
    }
  EXPECT_EQ(all.count(), 3U);
  EXPECT_EQ(all.state({{"n", 5000}}).calls, 60U);
  EXPECT_TRUE(all.try_now(stream_.get(), out(), in(), 2.0f, static_cast<int>(few)));
  expect_scaled(2, few);
  all.launch_at(stream_.get(), {{"n", 700}}, out(), in(), 4.0f);
  expect_scaled(4, 700);
  EXPECT_EQ(all.count(), 3U) << "one had to go";
  all.finish();
  EXPECT_EQ(all.state({{"n", 700}}).notice, "");
}

TEST_F(GpuProblems, ThreadsUseSizesOfTheirOwn) {
  api::Dispatchers all(scale(), options());
  std::vector<std::jthread> threads;
  std::vector<cuda::DeviceMemory> outs;
  for (int t = 0; t < 3; ++t) outs.push_back(cuda::allocate_device(few * sizeof(float)));
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      const cuda::Stream stream = cuda::make_stream();
      auto* const to = reinterpret_cast<float*>(outs[static_cast<std::size_t>(t)].data());
      for (int i = 0; i < 100; ++i) all.launch(stream.get(), to, in(), 2.0f, 20'000 * (t + 1));
      cuda::check(cudaStreamSynchronize(stream.get()));
    });
  threads.clear();
  EXPECT_EQ(all.count(), 3U);
  for (int t = 0; t < 3; ++t) {
    std::vector<float> values(static_cast<std::size_t>(20'000 * (t + 1)));
    cuda::check(cudaMemcpy(values.data(), outs[static_cast<std::size_t>(t)].data(),
                           values.size() * sizeof(float), cudaMemcpyDeviceToHost));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != 2 * static_cast<float>(i % 1000)) ++wrong;
    EXPECT_EQ(wrong, 0U) << t;
  }
}

TEST_F(GpuProblems, VariablesReachEveryConfiguration) {
  api::Dispatcher dispatcher(weighted(), {}, options());
  const auto expect = [&](float left, float middle, float right) {
    const float weights[] = {left, middle, right};
    dispatcher.symbol("weights", weights, 3);
    do {
      dispatcher.launch(stream_.get(), out(), in());
      const std::vector<float> values = results(few);
      for (const std::size_t i : {std::size_t{1}, std::size_t{500}, few - 2}) {
        const auto value = [](std::size_t k) { return static_cast<float>(k % 1000); };
        ASSERT_EQ(values[i], left * value(i - 1) + middle * value(i) + right * value(i + 1)) << i;
      }
    } while (dispatcher.try_now(stream_.get(), out(), in()));
  };
  expect(0, 1, 0);
  EXPECT_GE(dispatcher.state().tried, 2U);
  expect(1, 2, 4);
}

TEST_F(GpuProblems, StepsAndJudgesOfADefinition) {
  expect_all_right(run(counting()));
  expect_all_right(run(doubling()));
}

TEST_F(GpuProblems, ADispatcherLaunchesLoopsAndNoJudges) {
  api::DispatchOptions none = options();
  none.slowdown = 0;
  api::Dispatcher dispatcher(doubling(), {}, none);
  std::vector<float> ones(few, 1.0f);
  cuda::check(cudaMemcpy(in_.data(), ones.data(), few * sizeof(float), cudaMemcpyHostToDevice));
  dispatcher.launch(stream_.get(), in(), out(), 3.0f);
  cuda::check(cudaStreamSynchronize(stream_.get()));
  cuda::check(cudaMemcpy(ones.data(), in_.data(), few * sizeof(float), cudaMemcpyDeviceToHost));
  EXPECT_THAT(ones, ::testing::Each(81.0f));
}

TEST_F(GpuProblems, ADispatcherInC) {
  const std::string database = (folder_.path() / "results.db").string();
  const tune_assignment options[] = {{"database", database.c_str()}, {"slowdown", "0.2"}};
  const tune_problem problem{scale()};
  tune_dispatcher* dispatcher = nullptr;
  ASSERT_EQ(tune_dispatcher_open(&problem, options, 2, &dispatcher), TUNE_OK) << tune_message();
  float *to = out(), *from = in();
  const float factor = 3;
  const int count = 4000;
  const tune_call_argument arguments[] = {
      {"float*", &to, sizeof to}, {"*", &from, sizeof from}, {"float", &factor, 4}, {"int32", &count, 4}};
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(tune_dispatcher_launch(dispatcher, stream_.get(), nullptr, 0, arguments, 4), TUNE_OK)
        << tune_message();
  expect_scaled(3, 4000);
  int tried = 0;
  EXPECT_EQ(tune_dispatcher_try(dispatcher, stream_.get(), nullptr, 0, arguments, 4, &tried), TUNE_OK)
      << tune_message();
  EXPECT_EQ(tried, 1);
  EXPECT_EQ(tune_dispatcher_count(dispatcher), 1U);
  tune_dispatcher_close(dispatcher);
}

TEST_F(GpuProblems, CodeOfTheHostRunsBetweenLaunches) {
  expect_all_right(run(halving(), true));
}

}  // namespace
}  // namespace tune::testing
