// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/backends/cuda/runner/cuda_runner.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

using GpuMemoryCheck = GpuTest;

/// Copies n elements and writes one more, `at` elements from the start of `target`: 0 is `out`, 1 `in`, 2
/// `scratch`.
constexpr const char* stray_kernel = R"(
extern "C" __global__ void stray_kernel(float* in, float* out, float* scratch, int n, int target, long long at) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = scratch[i] = in[i];
  __syncthreads();
  if (threadIdx.x == 0 && target >= 0) (target == 0 ? out : target == 1 ? in : scratch)[at] = 1.5f;
})";

constexpr std::uint64_t n = 10'000;

LaunchPlan stray_plan(std::int32_t target, std::int64_t at, const Layout& in = Layout::dense({n})) {
  const auto layout = Layout::dense({n});
  return plan_of(stray_kernel,
                 {buffer("in", in, BufferRole::input), buffer("out", layout, BufferRole::output),
                  buffer("scratch", layout, BufferRole::scratch)},
                 launch("stray_kernel", {1, 1, 1}, {256, 1, 1},
                        {BufferArgument{"in"}, BufferArgument{"out"}, BufferArgument{"scratch"},
                         ScalarArgument{as_i32(n)}, ScalarArgument{target}, ScalarArgument{at}}));
}

const char* const names[] = {"out", "in", "scratch"};

TEST_F(GpuMemoryCheck, PassesWhatStaysInside) {
  const auto prepared = run(stray_plan(-1, 0), {{"in", counting({n})}});
  for (int turn = 0; turn < 2; ++turn) {
    const auto fine = prepared->check_memory();
    EXPECT_TRUE(fine) << fine.error().detail;
  }
}

TEST_F(GpuMemoryCheck, RefusesWhatHasNotRun) {
  const auto prepared = prepare(stray_plan(-1, 0));
  ASSERT_TRUE(prepared);
  EXPECT_THROW((void)(*prepared)->check_memory(), Error);
}

void expect_failure(const Result<void>& result, const std::string& reason, const std::string& detail) {
  ASSERT_FALSE(result) << detail;
  EXPECT_EQ(result.error().phase, Phase::verify);
  EXPECT_EQ(result.error().reason, reason);
  EXPECT_EQ(result.error().detail, detail);
}

TEST_F(GpuMemoryCheck, NoticesWritesAroundEveryBuffer) {
  const auto last = static_cast<std::int64_t>(n);
  for (std::int32_t target = 0; target < 3; ++target) {
    const auto check = [&](std::int64_t at, const std::string& where) {
      expect_failure(run(stray_plan(target, at), {{"in", counting({n})}})->check_memory(), "out of bounds",
                     std::string("buffer `") + names[target] + "`: 4 bytes written " + where);
    };
    check(last, "right after its end");
    check(last + 32, "128 bytes after its end");
    check(last + 10 * 1024, "40960 bytes after its end");
    check(-1, "4 bytes before its start");
    check(-10 * 1024, "40960 bytes before its start");
  }
}

TEST_F(GpuMemoryCheck, NoticesAPlaneTooMany) {
  // A plane is 1 MiB, far beyond the least guard.
  const Extents extents{512, 512, 3};
  constexpr const char* source = R"(
extern "C" __global__ void planes(float* out, int first, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int z = first; z < first + count; ++z) out[i + z * 512 * 512] = 0;
})";
  const auto check = [&](std::int32_t first, std::int32_t count) {
    return run(plan_of(source, {buffer("out", Layout::dense(extents), BufferRole::output)},
                       launch("planes", {1024, 1, 1}, {256, 1, 1},
                              {BufferArgument{"out"}, ScalarArgument{first}, ScalarArgument{count}})),
               {})
        ->check_memory();
  };
  EXPECT_TRUE(check(0, 3));
  expect_failure(check(0, 4), "out of bounds", "buffer `out`: 1048576 bytes written right after its end");
  expect_failure(check(-1, 4), "out of bounds",
                 "buffer `out`: 1048576 bytes written 1048576 bytes before its start");
}

TEST_F(GpuMemoryCheck, NoticesSingleBytesAroundOddSizes) {
  constexpr const char* source = R"(
extern "C" __global__ void bytes(unsigned char* out, int n, int at) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = 1;
  out[at] = 0xff;
})";
  for (const std::int32_t size : {1, 2, 3, 509, 512, 100'003}) {
    const auto check = [&](std::int32_t at) {
      return run(plan_of(source,
                         {buffer("out", Layout::dense({static_cast<std::uint64_t>(size)}), BufferRole::output,
                                 ElementType::u8)},
                         launch("bytes", {1, 1, 1}, {64, 1, 1},
                                {BufferArgument{"out"}, ScalarArgument{size}, ScalarArgument{at}})),
                 {})
          ->check_memory();
    };
    EXPECT_TRUE(check(size - 1)) << size;
    EXPECT_FALSE(check(size)) << size;
    EXPECT_FALSE(check(size + 1)) << size;
    EXPECT_FALSE(check(size + 3)) << size;
    EXPECT_FALSE(check(-1)) << size;
  }
}

TEST_F(GpuMemoryCheck, NoticesChangedInputs) {
  for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, std::int64_t{5001}, std::int64_t{9999}}) {
    const auto is = std::to_string(at);
    expect_failure(run(stray_plan(1, at), {{"in", counting({n}, 7)}})->check_memory(), "changed input",
                   "input `in`: a kernel changed element (" + is + ") from " + std::to_string(at + 7) +
                       " to 1.5, and none before it");
  }
}

TEST_F(GpuMemoryCheck, NoticesChangedPaddingOfInputsOnly) {
  const Layout padded{{n}, {1}, 100, n + 300};
  const TensorSet inputs{{"in", counting({n})}};
  expect_failure(run(stray_plan(1, -1, padded), inputs)->check_memory(), "changed input",
                 "input `in`: the padding was written to, first at element 99 of its allocation (the tensor "
                 "begins at 100)");
  expect_failure(run(stray_plan(1, static_cast<std::int64_t>(n) + 5, padded), inputs)->check_memory(),
                 "changed input",
                 "input `in`: the padding was written to, first at element 10105 of its allocation (the "
                 "tensor begins at 100)");
  // The padding of outputs belongs to the kernel.
  auto plan = stray_plan(0, -3);
  plan.buffers[1].layout = padded;
  EXPECT_TRUE(run(plan, inputs)->check_memory());
}

TEST_F(GpuMemoryCheck, AllowsInputsThatAreNan) {
  auto nan = counting({n});
  for (float& value : nan.as<float>()) value = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(run(stray_plan(-1, 0), {{"in", std::move(nan)}})->check_memory());
}

TEST_F(GpuMemoryCheck, WorksWithoutRoomForImages) {
  auto properties = backend_->properties();
  properties.global_memory = 0;  // of which images may take half
  CudaRunner runner(0, properties);
  const std::uint64_t size = 1'000'000;
  const auto layout = Layout::dense({size});
  const TensorSet inputs{{"in", counting({size})}};
  const auto check = [&](std::int32_t target, std::int64_t at) {
    auto plan = stray_plan(target, at);
    for (auto& one : plan.buffers) one.layout = layout;
    const auto prepared = runner.prepare(plan, compile(plan));
    if (!prepared || !(*prepared)->run_checked(views_of(inputs))) throw std::runtime_error("did not run");
    return (*prepared)->check_memory();
  };
  EXPECT_TRUE(check(-1, 0));
  expect_failure(check(1, 300'000), "changed input",
                 "input `in`: a kernel changed bytes 1048576 to 1310719 of the allocation");
  expect_failure(check(1, 999'999), "changed input",
                 "input `in`: a kernel changed bytes 3932160 to 3999999 of the allocation");
  EXPECT_FALSE(check(0, static_cast<std::int64_t>(size)));
}

TEST_F(GpuMemoryCheck, SendsAgainWhatAStrayWriteChangedInAnImage) {
  // A kernel that writes to a cached image, at an address that an innocent one of the same process has told.
  DeviceContext context(0, backend_->properties());
  const auto tensor = counting({n}, 3);
  const auto key = snapshot_key("in", Layout::dense({n}), view_of(tensor));
  auto& checks = context.checks();
  const auto* snapshot = context.snapshots.get(key, view_of(tensor), checks, context.stream.get());
  ASSERT_NE(snapshot, nullptr);
  check(cudaMemsetAsync(snapshot->memory.data() + 400, 1, 4, context.stream.get()));
  snapshot = context.snapshots.get(key, view_of(tensor), checks, context.stream.get());
  ASSERT_NE(snapshot, nullptr);
  float value = 0;
  check(cudaMemcpyAsync(&value, snapshot->memory.data() + 400, 4, cudaMemcpyDeviceToHost,
                        context.stream.get()));
  check(cudaStreamSynchronize(context.stream.get()));
  EXPECT_EQ(value, 103);
}

}  // namespace
}  // namespace tune::cuda
