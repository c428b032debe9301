// SPDX-License-Identifier: Apache-2.0
// Plans with host buffers, copies and several streams.
#include <algorithm>
#include <cstdio>

#include "tests/support/stream_sample.hpp"
#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

using tune::testing::StreamSample;

class GpuStreams : public GpuTest {
 protected:
  static Timing measured(PreparedPlan& prepared, int samples = 5) {
    MeasureOptions options;
    options.min_samples = options.max_samples = samples;
    auto timing = prepared.measure(options);
    if (!timing) throw std::runtime_error(timing.error().detail);
    return std::move(*timing);
  }
  static double shortest(const Timing& timing) { return *std::ranges::min_element(timing.samples); }

  static void expect_right(PreparedPlan& prepared, const StreamSample& sample, const std::string& name) {
    const auto harmed = prepared.check_memory();
    EXPECT_TRUE(harmed) << name << ": " << harmed.error().detail;
    const auto found = prepared.compare("out", view_of(sample.reference.at("out")), {.absolute = 1e-6});
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->wrong, 0u) << name;
    const auto fetched = prepared.fetch("out");
    ASSERT_TRUE(fetched) << name;
    EXPECT_EQ(floats(*fetched).back(), static_cast<float>(sample.reference.at("out").as<double>().back()));
  }
};

TEST_F(GpuStreams, CarryThePipelineOut) {
  for (const MemoryPlace place : {MemoryPlace::pinned, MemoryPlace::pageable, MemoryPlace::device})
    for (const std::uint64_t pieces : {1u, 2u, 7u, 40u}) {
      const StreamSample sample(pieces, place);
      const auto prepared = run(sample.plan, sample.inputs);
      const auto name = format("{} {}", to_string(place), pieces);
      expect_right(*prepared, sample, name);
      EXPECT_EQ(prepared->resources().size(), pieces) << "one a kernel launch";
      EXPECT_GT(shortest(measured(*prepared)), 1e-6) << name;
      expect_right(*prepared, sample, name + ", measured");
      ASSERT_TRUE(prepared->run_checked(views_of(sample.inputs)));
      expect_right(*prepared, sample, name + ", once more");
    }
}

TEST_F(GpuStreams, ChecksSeeWhatACopyLeftOut) {
  for (const MemoryPlace place : {MemoryPlace::pinned, MemoryPlace::pageable}) {
    StreamSample sample(3, place);
    sample.plan.launches.pop_back();
    const auto prepared = run(sample.plan, sample.inputs);
    const auto found = prepared->compare("out", view_of(sample.reference.at("out")), {.absolute = 1e-6});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->wrong, 37u * 5) << "the poison of the last piece";
    EXPECT_EQ(found->worst_index, 2u * 37 * 5);
  }
}

TEST_F(GpuStreams, BecomeAGraphWhereTheyAskForOne) {
  for (const auto use : {GraphUse::never, GraphUse::automatic, GraphUse::always}) {
    StreamSample sample(40);
    sample.plan.graph = use;
    const auto prepared = run(sample.plan, sample.inputs);
    const auto timing = measured(*prepared, 15);
    std::printf("40 pieces, graph %d: %.1f us\n", static_cast<int>(use), 1e6 * shortest(timing));
    EXPECT_EQ(timing.executions, 1);
    expect_right(*prepared, sample, format("graph {}", static_cast<int>(use)));
  }
}

/// Spins on another stream than that of the last, short step.
TEST_F(GpuStreams, ATimeEndsWhenAllStreamsHave) {
  constexpr const char* source = R"(
extern "C" __global__ void spin(float* out, long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
  out[0] = 1;
})";
  const auto cycles =
      static_cast<std::int64_t>(static_cast<double>(backend_->properties().core_clock) * 2e-3);
  const auto spin = [&](std::int64_t count, std::uint64_t at, std::uint32_t stream) {
    Launch made = launch("spin", {1, 1, 1}, {1, 1, 1}, {BufferArgument{"out", at, 1}, ScalarArgument{count}});
    made.order.stream = stream;
    return made;
  };
  for (const auto use : {GraphUse::never, GraphUse::always}) {
    auto plan = plan_of(source, {buffer("out", Layout::dense({3}), BufferRole::output)}, spin(cycles, 0, 2));
    plan.launches.push_back(spin(cycles, 1, 1));
    plan.launches.push_back(spin(1, 2, 0));
    plan.graph = use;
    const auto together = run(plan, {});
    const double overlapped = shortest(measured(*together));
    std::get<Launch>(plan.launches[0]).order.stream = 1;
    const auto apart = run(plan, {});
    const double one_by_one = shortest(measured(*apart));
    std::printf("two spins of 2 ms: %.2f ms on two streams, %.2f ms on one\n", overlapped * 1e3,
                one_by_one * 1e3);
    EXPECT_GT(overlapped, 1.9e-3);
    EXPECT_LT(overlapped, 3.5e-3);
    EXPECT_GT(one_by_one, 3.8e-3);
  }
}

/// Copies both ways and kernels at once take less than one after another.
TEST_F(GpuStreams, CopiesOverlap) {
  constexpr std::uint64_t n = std::uint64_t{1} << 26;  // 256 MiB each way
  const auto timed = [&](MemoryPlace place, std::uint32_t stream) {
    LaunchPlan plan = plan_of("extern \"C\" __global__ void one(float* out) { out[0] = 1; }",
                              {buffer("in", Layout::dense({n}), BufferRole::input),
                               buffer("out", Layout::dense({n}), BufferRole::output),
                               buffer("here", Layout::dense({n}), BufferRole::scratch),
                               buffer("there", Layout::dense({n}), BufferRole::scratch)},
                              launch("one", {1, 1, 1}, {1, 1, 1}, {BufferArgument{"there"}}));
    plan.buffers[0].place = plan.buffers[1].place = place;
    plan.launches.push_back(Copy{{"in"}, {"here"}, n, 1, {0, {}}});
    plan.launches.push_back(Copy{{"there"}, {"out"}, n, 1, {stream, {0}}});
    const auto prepared = run(plan, {{"in", counting({n})}});
    EXPECT_TRUE(prepared->check_memory());
    return shortest(measured(*prepared));
  };
  const double bytes = 4.0 * static_cast<double>(n);
  const double apart = timed(MemoryPlace::pinned, 0), together = timed(MemoryPlace::pinned, 1);
  const double pageable = timed(MemoryPlace::pageable, 1);
  std::printf("256 MiB in and out: %.1f GB/s one by one, %.1f GB/s together, %.1f GB/s pageable\n",
              2e-9 * bytes / apart, 2e-9 * bytes / together, 2e-9 * bytes / pageable);
  EXPECT_LT(together, 0.8 * apart);
  EXPECT_GT(pageable, apart * 0.9);
}

/// Kernels reach pinned memory: guards and inputs there are looked at, too.
TEST_F(GpuStreams, StrayWritesToHostMemoryAreFound) {
  constexpr const char* source = R"(
extern "C" __global__ void stray(float* in, float* out, int at, int which) {
  for (int i = threadIdx.x; i < 1000; i += blockDim.x) out[i] = in[i];
  if (threadIdx.x == 0) (which ? in : out)[at] = 1.5f;
})";
  const auto check = [&](std::int32_t at, std::int32_t which) {
    auto plan = plan_of(
        source,
        {buffer("in", Layout::dense({1000}), BufferRole::input),
         buffer("out", Layout::dense({1000}), BufferRole::output)},
        launch("stray", {1, 1, 1}, {64, 1, 1},
               {BufferArgument{"in"}, BufferArgument{"out"}, ScalarArgument{at}, ScalarArgument{which}}));
    plan.buffers[0].place = plan.buffers[1].place = MemoryPlace::pinned;
    const auto checked = run(plan, {{"in", counting({1000}, 7)}})->check_memory();
    return checked ? std::string() : checked.error().reason + ": " + checked.error().detail;
  };
  EXPECT_EQ(check(5, 0), "");
  EXPECT_EQ(check(1000, 0), "out of bounds: buffer `out`: 4 bytes written right after its end");
  EXPECT_EQ(check(-1, 0), "out of bounds: buffer `out`: 4 bytes written 4 bytes before its start");
  EXPECT_EQ(check(10, 1),
            "changed input: input `in`: a kernel changed element (10) from 17 to 1.5, and none before it");
}

TEST_F(GpuStreams, TooLittleHostMemoryIsAFailure) {
  StreamSample sample(1);
  sample.plan.buffers.push_back(buffer("huge", Layout::dense({8}), BufferRole::scratch));
  sample.plan.buffers.back().layout.allocation = std::uint64_t{1} << 46;
  sample.plan.buffers.back().place = MemoryPlace::pinned;
  const auto prepared = prepare(sample.plan);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().phase, Phase::resources);
}

}  // namespace
}  // namespace tune::cuda
