// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>

#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/backends/cuda/checks/device_checks.hpp"
#include "tuner/backends/cuda/plan/input_snapshots.hpp"
#include "tuner/backends/cuda/runtime/handles.hpp"
#include "tuner/backends/cuda/runtime/memory_pool.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

using GpuBuffers = GpuTest;

/// out(x, y, z) = in(x - 1, y, z), with the strides of each.
constexpr const char* shift = R"(
extern "C" __global__ void shift(const float* in, float* out, int nx, int ny, int nz, int row, int plane,
                                 int out_row, int out_plane) {
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = threadIdx.x; x < nx; x += blockDim.x)
        out[x + y * out_row + z * out_plane] = in[x - 1 + y * row + z * plane];
})";

LaunchPlan shift_plan(const Layout& in, const Layout& out) {
  const auto stride = [](const Layout& layout, std::size_t i) {
    return ScalarArgument{as_i32(layout.strides[i])};
  };
  const auto extent = [&](std::size_t i) { return ScalarArgument{as_i32(in.extents[i])}; };
  return plan_of(shift, {buffer("in", in, BufferRole::input), buffer("out", out, BufferRole::output)},
                 launch("shift", {1, 1, 1}, {64, 1, 1},
                        {BufferArgument{"in"}, BufferArgument{"out"}, extent(0), extent(1), extent(2),
                         stride(in, 1), stride(in, 2), stride(out, 1), stride(out, 2)}));
}

/// Ghost cells are poisoned, so what comes from outside the tensor is NaN.
void expect_shifted(const std::vector<float>& values, const Extents& extents) {
  ASSERT_EQ(values.size(), element_count(extents));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % extents[0] == 0)
      ASSERT_TRUE(std::isnan(values[i])) << i;
    else
      ASSERT_EQ(values[i], static_cast<float>(i - 1)) << i;
  }
}

TEST_F(GpuBuffers, LaysTensorsOut) {
  const Extents extents{13, 5, 4};
  const Layout ghosts{extents, {1, 16, 16 * 8}, 16 * 8 + 16 + 1, 16 * 8 * 6 + 64};
  const Layout padded{extents, {1, 32, 32 * 5}, 7, 32 * 5 * 4 + 7};
  const Layout odd{extents, {1, 17, 17 * 5 + 3}, 1, 400};  // planes that are no whole rows apart
  const TensorSet inputs{{"in", counting(extents)}};
  for (const auto& in : {ghosts, padded, odd})
    for (const auto& out : {Layout::dense(extents), ghosts, padded, odd}) {
      const auto prepared = run(shift_plan(in, out), inputs);
      const auto view = prepared->fetch("out");
      ASSERT_TRUE(view);
      EXPECT_EQ(view->extents, extents);
      expect_shifted(floats(*view), extents);
    }
}

TEST_F(GpuBuffers, LaysLargeTensorsOut) {
  const Extents extents{500, 130, 70};
  const Layout ghosts{extents, {1, 512, 512 * 132}, 512 * 132 + 512 + 4, 512 * 132 * 72};
  const TensorSet inputs{{"in", counting(extents)}};
  expect_shifted(floats(*run(shift_plan(ghosts, ghosts), inputs)->fetch("out")), extents);
}

constexpr const char* halves = R"(
extern "C" __global__ void even(unsigned char* out, int n) {
  for (int i = 2 * threadIdx.x; i < n; i += 2 * blockDim.x) out[i] = 1;
})";

TEST_F(GpuBuffers, PoisonsWhatIsNotWritten) {
  const auto plan = plan_of(
      halves, {buffer("out", Layout::dense({1001}), BufferRole::output, ElementType::u8)},
      launch("even", {1, 1, 1}, {64, 1, 1}, {BufferArgument{"out"}, ScalarArgument{std::int32_t{1001}}}));
  const auto prepared = run(plan, {});
  for (int turn = 0; turn < 2; ++turn) {
    const auto view = prepared->fetch("out");
    ASSERT_TRUE(view);
    ASSERT_EQ(view->bytes.size(), 1001u);
    for (std::size_t i = 0; i < 1001; ++i)
      ASSERT_EQ(view->bytes[i], i % 2 == 0 ? std::byte{1} : std::byte{0xff});
    ASSERT_TRUE(prepared->run_checked({}));
  }
}

// Before every checked run, not before every execution.
TEST_F(GpuBuffers, FillScratchWithZerosWhereItAsksForThem) {
  constexpr const char* count_up = R"(
extern "C" __global__ void count_up(unsigned* counts, unsigned* out) { out[threadIdx.x] = ++counts[threadIdx.x]; })";
  auto counts = buffer("counts", Layout::dense({64}), BufferRole::scratch, ElementType::u32);
  counts.fill = BufferFill::zero;
  auto plan =
      plan_of(count_up, {counts, buffer("out", Layout::dense({64}), BufferRole::output, ElementType::u32)},
              launch("count_up", {1, 1, 1}, {64, 1, 1}, {BufferArgument{"counts"}, BufferArgument{"out"}}));
  plan.launches.push_back(plan.launches[0]);
  const auto prepared = run(plan, {});
  for (int turn = 0; turn < 2; ++turn) {
    const auto view = prepared->fetch("out");
    ASSERT_TRUE(view);
    for (std::size_t i = 0; i < 64; ++i)
      ASSERT_EQ(reinterpret_cast<const std::uint32_t*>(view->bytes.data())[i], 2u) << i;
    ASSERT_TRUE(prepared->run_checked({}));
  }
  plan.buffers[1].fill = BufferFill::zero;
  EXPECT_THROW(run(plan, {}), Error);
}

constexpr const char* spoil = R"(
extern "C" __global__ void spoil(float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) { out[i] = in[i]; in[i] = -1; }
})";

LaunchPlan spoil_plan(std::uint64_t n) {
  const auto layout = Layout::dense({n});
  return plan_of(spoil, {buffer("in", layout, BufferRole::input), buffer("out", layout, BufferRole::output)},
                 launch("spoil", {1, 1, 1}, {256, 1, 1},
                        {BufferArgument{"in"}, BufferArgument{"out"}, ScalarArgument{as_i32(n)}}));
}

TEST_F(GpuBuffers, KeepInputsFromKernelsThatSpoilThem) {
  const TensorSet inputs{{"in", counting({3000}, 1)}};
  const auto plan = spoil_plan(3000);
  for (int turn = 0; turn < 3; ++turn) {
    const auto values = floats(*run(plan, inputs)->fetch("out"));
    ASSERT_EQ(values[0], 1);
    ASSERT_EQ(values[2999], 3000);
  }
}

TEST_F(GpuBuffers, NoticeOtherContents) {
  for (const std::uint64_t n : {std::uint64_t{3000}, std::uint64_t{1} << 20}) {
    const auto plan = spoil_plan(n);
    TensorSet inputs{{"in", counting({n})}};
    EXPECT_EQ(floats(*run(plan, inputs)->fetch("out"))[7], 7);
    // In place, so that the tensor's place in memory is the same.
    for (float& value : inputs.at("in").as<float>()) value += 1000;
    EXPECT_EQ(floats(*run(plan, inputs)->fetch("out"))[7], 1007);
  }
}

TEST_F(GpuBuffers, GoThroughManySizes) {
  for (std::uint64_t n = 1; n < 60; ++n) {
    const auto values = floats(*run(spoil_plan(n * 1000), {{"in", counting({n * 1000})}})->fetch("out"));
    ASSERT_EQ(values.size(), n * 1000);
    ASSERT_EQ(values.back(), static_cast<float>(n * 1000 - 1));
  }
}

TEST_F(GpuBuffers, RefuseTensorsThatDoNotFit) {
  const auto prepared = prepare(spoil_plan(100));
  ASSERT_TRUE(prepared);
  EXPECT_THROW((*prepared)->run_checked({}), Error);
  const TensorSet short_one{{"in", counting({99})}};
  const TensorSet other_type{{"in", HostTensor(ElementType::i32, {100})}};
  const TensorSet right{{"in", counting({100})}};
  EXPECT_THROW((*prepared)->run_checked(views_of(short_one)), Error);
  EXPECT_THROW((*prepared)->run_checked(views_of(other_type)), Error);
  EXPECT_THROW((*prepared)->fetch("nothing"), Error);
  EXPECT_TRUE((*prepared)->run_checked(views_of(right)));
}

/// 16 MiB and more: laid out on the device, from a dense copy.
TEST_F(GpuBuffers, LaysLargeTensorsOutOnTheDevice) {
  const Extents extents{509, 64, 129};
  const TensorSet inputs{{"in", counting(extents)}};
  const Layout padded{extents, {1, 512, 512 * 64}, 3, 512 * 64 * 129 + 3};
  for (const Layout& in : {padded, Layout::dense(extents), padded}) {
    const auto prepared = run(shift_plan(in, Layout::dense(extents)), inputs);
    const auto view = prepared->fetch("out");
    ASSERT_TRUE(view);
    const std::vector<float> values = floats(*view);
    ASSERT_EQ(values.size(), element_count(extents));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (i % extents[0] != 0) {
        ASSERT_EQ(values[i], static_cast<float>(i - 1)) << i;
      }
  }
}

TEST_F(GpuBuffers, SmallSnapshotsReplaceNoLargeOnes) {
  MemoryPool pool;
  DeviceChecks checks(backend_->properties());
  const Stream stream = make_stream();
  InputSnapshots snapshots(pool, std::uint64_t{1} << 30);
  const auto keep = [&](const HostTensor& tensor, const std::string& name) {
    const TensorView view = view_of(tensor);
    const SnapshotKey key = snapshot_key(name, Layout::dense(tensor.extents()), view);
    EXPECT_NE(snapshots.get(key, view, checks, stream.get()), nullptr);
    return key;
  };
  const HostTensor large = counting({std::uint64_t{4} << 20});
  const SnapshotKey of_large = keep(large, "large");
  std::vector<HostTensor> small;
  for (std::uint64_t i = 0; i < 300; ++i) small.push_back(counting({100 + i}));
  std::vector<SnapshotKey> keys;
  for (const HostTensor& one : small) keys.push_back(keep(one, "small"));
  EXPECT_NE(snapshots.find(of_large), nullptr);
  EXPECT_NE(snapshots.find(keys.back()), nullptr);
  EXPECT_EQ(snapshots.find(keys.front()), nullptr) << "there are limits for small ones too";
}

}  // namespace
}  // namespace tune::cuda
