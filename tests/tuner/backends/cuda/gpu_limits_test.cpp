// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

using GpuLimits = GpuTest;

/// Reverses the values of a block through dynamic shared memory, as far up in it as they fit.
constexpr const char* reverse = R"(
extern "C" __global__ void __launch_bounds__(512) reverse(float* values, int floats) {
  extern __shared__ float stage[];
  float* const top = stage + floats - blockDim.x;
  top[threadIdx.x] = threadIdx.x;
  __syncthreads();
  values[threadIdx.x] = top[blockDim.x - 1 - threadIdx.x];
})";

LaunchPlan reverse_plan(std::uint64_t shared) {
  auto plan = plan_of(reverse, {buffer("values", Layout::dense({1024}), BufferRole::output)},
                      launch("reverse", {1, 1, 1}, {256, 1, 1},
                             {BufferArgument{"values"}, ScalarArgument{as_i32(shared / 4)}}));
  std::get<Launch>(plan.launches[0]).dynamic_shared_memory = shared;
  return plan;
}

TEST_F(GpuLimits, OptsInToLargeSharedMemory) {
  const auto max = static_cast<std::uint64_t>(backend_->properties().shared_memory_per_block_optin);
  for (const auto shared : {std::uint64_t{1024}, std::uint64_t{49152}, std::uint64_t{50000}, max}) {
    const auto prepared = run(reverse_plan(shared), {});
    EXPECT_EQ(prepared->resources()[0].dynamic_shared_memory, static_cast<int>(shared));
    const auto values = floats(*prepared->fetch("values"));
    for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(values[i], static_cast<float>(255 - i));
  }
}

TEST_F(GpuLimits, KeepsTheLargestOfSeveralLaunches) {
  auto plan = reverse_plan(60000);
  plan.launches.push_back(reverse_plan(1024).launches[0]);
  plan.launches.push_back(reverse_plan(50000).launches[0]);
  EXPECT_EQ(floats(*run(plan, {})->fetch("values"))[0], 255);
}

/// Expects a failure of that reason without a launch.
void expect_refused(const Result<std::unique_ptr<PreparedPlan>>& prepared, const std::string& reason) {
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().phase, Phase::resources);
  EXPECT_EQ(prepared.error().reason, reason) << prepared.error().detail;
  EXPECT_FALSE(prepared.error().detail.empty());
}

TEST_F(GpuLimits, RefusesWhatCannotRun) {
  const auto& properties = backend_->properties();
  expect_refused(
      prepare(reverse_plan(static_cast<std::uint64_t>(properties.shared_memory_per_block_optin) + 4)),
      "shared memory");
  auto threads = reverse_plan(8192);
  std::get<Launch>(threads.launches[0]).block = {1024, 2, 1};
  expect_refused(prepare(threads), "threads");
  std::get<Launch>(threads.launches[0]).block = {
      1024, 1, 1};  // fewer than the device allows, more than the launch bounds
  expect_refused(prepare(threads), "threads");
  auto block = reverse_plan(8192);
  std::get<Launch>(block.launches[0]).block = {1, 1, 128};
  expect_refused(prepare(block), "block");
  auto grid = reverse_plan(8192);
  std::get<Launch>(grid.launches[0]).grid = {1, 70000, 1};
  expect_refused(prepare(grid), "grid");
  auto cooperative = reverse_plan(100'000);
  auto& together = std::get<Launch>(cooperative.launches[0]);
  together.cooperative = true;
  together.grid.x = static_cast<std::uint32_t>(properties.multiprocessors) * 16;
  expect_refused(prepare(cooperative), "cooperative grid");
  auto memory = reverse_plan(8192);
  memory.buffers.push_back(buffer("huge", Layout::dense({std::uint64_t{1} << 42}), BufferRole::scratch));
  expect_refused(prepare(memory), "device memory");
  // Nothing was launched, and the device goes on.
  EXPECT_EQ(floats(*run(reverse_plan(8192), {})->fetch("values"))[0], 255);
}

TEST_F(GpuLimits, RefusesABinaryOfAnotherArchitecture) {
  const auto plan = reverse_plan(8192);
  std::string reason;
  const auto other =
      make_nvrtc_compiler(backend_->properties().compute_major == 12 ? "sm_90" : "sm_120", &reason);
  ASSERT_NE(other, nullptr) << reason;
  expect_refused(backend_->runner().prepare(plan, *other->compile(plan.compile)), "load");
}

// The extent of a variable may be a parameter: this fails one configuration, not all.
TEST_F(GpuLimits, RefusesMoreBytesThanAVariableHas) {
  auto plan = plan_of(
      "__constant__ float w[2];\n"
      "extern \"C\" __global__ void k(float* out) { out[threadIdx.x] = w[threadIdx.x % 2]; }\n",
      {buffer("out", Layout::dense({32}), BufferRole::output),
       buffer("w", Layout::dense({3}), BufferRole::scratch)},
      launch("k", {1, 1, 1}, {32, 1, 1}, {BufferArgument{"out"}}));
  plan.buffers[1].symbol = "w";
  const auto prepared = prepare(plan);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().phase, Phase::launch);
  EXPECT_EQ(prepared.error().detail, "variable `w` of the kernel has 8 bytes, 12 are copied to it");
}

TEST_F(GpuLimits, RefusesWrongArguments) {
  auto few = reverse_plan(8192);
  std::get<Launch>(few.launches[0]).arguments.pop_back();
  EXPECT_THROW(prepare(few), Error);
  auto many = reverse_plan(8192);
  std::get<Launch>(many.launches[0]).arguments.push_back(ScalarArgument{1.0f});
  EXPECT_THROW(prepare(many), Error);
  auto wide = reverse_plan(8192);
  std::get<Launch>(wide.launches[0]).arguments[1] = ScalarArgument{std::int64_t{2048}};
  EXPECT_THROW(prepare(wide), Error);
  auto unknown = reverse_plan(8192);
  std::get<Launch>(unknown.launches[0]).arguments[0] = BufferArgument{"nothing"};
  EXPECT_THROW(prepare(unknown), Error);
  auto entry = reverse_plan(8192);
  const auto binary = compile(entry);
  std::get<Launch>(entry.launches[0]).entry = "other";
  EXPECT_THROW(backend_->runner().prepare(entry, binary), Error);
}

TEST_F(GpuLimits, UsesAlmostAllMemoryTwice) {
  // Two plans of different layout, each too large for memory that is only idle to be left alone.
  const auto floats_of = [&](double share) {
    return static_cast<std::uint64_t>(share * static_cast<double>(backend_->properties().global_memory) / 4);
  };
  for (const double share : {0.6, 0.5, 0.7}) {
    auto plan = reverse_plan(8192);
    plan.buffers.push_back(buffer("large", Layout::dense({floats_of(share)}), BufferRole::scratch));
    const auto prepared = prepare(plan);
    ASSERT_TRUE(prepared) << prepared.error().detail;
  }
}

}  // namespace
}  // namespace tune::cuda
