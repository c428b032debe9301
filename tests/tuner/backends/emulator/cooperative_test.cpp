// SPDX-License-Identifier: Apache-2.0
// A kernel that stays on the device for several time steps, and what a cooperative launch may be here.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "tests/tuner/backends/emulator/kernel_check.hpp"
#include "tuner/base/error.hpp"

namespace tune::emulator {
namespace {

using testing::KernelCheck;

constexpr std::uint64_t cells = 500;
constexpr std::uint32_t threads = 32, blocks = 5;

/// STEPS steps of u[i] = (u[i - 1] + 2 u[i] + u[i + 1]) / 4, the ends kept, by turns in two arrays. A thread
/// has the cells that lie a grid apart; the first of them, and how many steps are done, it keeps in shared
/// memory.
const std::string persistent_stencil = R"(#include "grid_barrier.cuh"
extern "C" __global__ void k(const float* in, float* out, float* other, unsigned* counter, int n) {
  __shared__ float mine[32];
  extern __shared__ int done[];
  const int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  for (int i = first; i < n; i += stride) out[i] = in[i];
  mine[threadIdx.x] = first < n ? in[first] : 0;
  done[threadIdx.x] = 0;
  float* from = out;
  float* to = other;
  for (int step = 0; step < STEPS; ++step) {
    grid_barrier(counter);
    for (int i = first; i < n; i += stride) {
      const bool end = i == 0 || i == n - 1;
      const float own = i == first ? mine[threadIdx.x] : from[i];
      to[i] = end ? own : 0.25f * (from[i - 1] + 2 * own + from[i + 1]);
    }
    if (first < n) mine[threadIdx.x] = to[first];
    ++done[threadIdx.x];
    float* const last = from;
    from = to;
    to = last;
  }
  grid_barrier(counter);
  if (done[threadIdx.x] != STEPS) __trap();
  for (int i = first; i < n; i += stride) out[i] = from[i];
}
)";

std::vector<double> stencil_reference(int steps) {
  std::vector<double> now(cells);
  for (std::size_t i = 0; i < cells; ++i) now[i] = static_cast<double>(i * i % 17);
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> before = now;
    for (std::size_t i = 1; i + 1 < cells; ++i)
      now[i] = 0.25 * (before[i - 1] + 2 * before[i] + before[i + 1]);
  }
  return now;
}

KernelCheck stencil_check(std::string source, int steps) {
  KernelCheck check(source, threads, blocks, cells);
  check.with_buffer("other", ElementType::f32, cells, BufferRole::scratch);
  check.with_buffer("grid_barrier", ElementType::u32, 1, BufferRole::scratch);
  check.plan.buffers.back() = kernels::grid_barrier_counter();
  check.plan.compile.headers = {kernels::grid_barrier_header(kernels::EmbeddedSources())};
  check.plan.compile.defines = {{"STEPS", std::to_string(steps)}};
  check.launch().cooperative = true;
  check.launch().dynamic_shared_memory = threads * 4;
  const auto in = check.expected.inputs.at("in").as<float>();
  for (std::size_t i = 0; i < cells; ++i) in[i] = static_cast<float>(i * i % 17);
  return check.expecting(stencil_reference(steps));
}

void remove(std::string& text, const std::string& part, std::size_t from = 0) {
  const std::size_t at = text.find(part, from);
  ASSERT_NE(at, std::string::npos);
  text.erase(at, part.size());
}

TEST(Cooperative, APersistentStencilIsRight) {
  for (const Flavour flavour : {Flavour::sanitize, Flavour::plain})
    for (const int steps : {1, 2, 7})
      EXPECT_EQ(stencil_check(persistent_stencil, steps).flavour(flavour).report(), "") << steps;
}

TEST(Cooperative, APersistentStencilNeedsEachOfItsBarriers) {
  const std::string barrier = "grid_barrier(counter);";
  for (const std::size_t from : {std::size_t{0}, persistent_stencil.find(barrier) + 1}) {
    std::string source = persistent_stencil;
    remove(source, barrier, from);
    const CheckVerdict verdict = stencil_check(source, 3).verdict();
    ASSERT_FALSE(verdict.findings.empty());
    EXPECT_TRUE(std::ranges::any_of(verdict.findings, [](const Finding& finding) {
      return finding.kind == FindingKind::race_between_blocks && finding.source.starts_with("k.cu:") &&
             finding.detail.find("no barrier of the grid") != std::string::npos;
    })) << verdict.findings[0].text();
  }
  // Without call-backs the results show it: later blocks have not written yet.
  std::string source = persistent_stencil;
  remove(source, barrier);
  const CheckVerdict plain = stencil_check(source, 3).flavour(Flavour::plain).verdict();
  ASSERT_EQ(plain.findings.size(), 1U);
  EXPECT_EQ(plain.findings[0].kind, FindingKind::wrong_result);
}

TEST(Cooperative, ABlockThatLeavesIsNamed) {
  std::string source = persistent_stencil;
  source.insert(source.find("    grid_barrier"), "    if (step == 2 && blockIdx.x == 3) return;\n");
  for (const Flavour flavour : {Flavour::sanitize, Flavour::plain}) {
    const CheckVerdict verdict = stencil_check(source, 4).flavour(flavour).verdict();
    ASSERT_EQ(verdict.findings.size(), 1U);
    const Finding& finding = verdict.findings[0];
    EXPECT_EQ(finding.kind, FindingKind::deadlock) << finding.text();
    EXPECT_EQ(finding.block.x, 0U);
    EXPECT_EQ(finding.source, "k.cu:13") << finding.text();
    EXPECT_NE(finding.detail.find("4 of 5 blocks"), std::string::npos) << finding.text();
  }
}

// All blocks are there at once: each waits until all have said so, which no two could do one after another.
TEST(Cooperative, BlocksAreThereTogether) {
  const std::string source =
      "extern \"C\" __global__ void k(const float* in, float* out, unsigned* count, int n) {\n"
      "  if (threadIdx.x == 0) {\n    atomicAdd(count, 1u);\n"
      "    while (atomicAdd(count, 0u) < gridDim.x) {}\n  }\n  __syncthreads();\n"
      "  out[blockIdx.x * blockDim.x + threadIdx.x] = gridDim.x;\n}\n";
  for (const Flavour flavour : {Flavour::sanitize, Flavour::plain}) {
    KernelCheck check(source, 2, 40);
    check.with_buffer("count", ElementType::u32, 1, BufferRole::scratch).flavour(flavour);
    check.plan.buffers.back().fill = BufferFill::zero;
    check.expecting(std::vector<double>(2 * 40, 40.0));
    check.launch().cooperative = true;
    EXPECT_EQ(check.report(), "");
    check.launch().cooperative = false;
    const CheckVerdict one_by_one = check.verdict();
    ASSERT_EQ(one_by_one.findings.size(), 1U);
    EXPECT_EQ(one_by_one.findings[0].kind, FindingKind::deadlock);
  }
}

TEST(Cooperative, LargeGridsHaveTheirLimit) {
  const std::string source =
      "#include \"grid_barrier.cuh\"\n"
      "extern \"C\" __global__ void k(const float* in, float* out, unsigned* counter, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = in[i];\n  grid_barrier(counter);\n"
      "  const float v = out[n - 1 - i];\n  grid_barrier(counter);\n  out[i] = v;\n}\n";
  const auto check_of = [&](std::uint32_t grid) {
    KernelCheck check(source, 256, grid);
    check.with_buffer("counter", ElementType::u32, 1, BufferRole::scratch);
    check.plan.buffers.back() = kernels::grid_barrier_counter("counter");
    check.plan.compile.headers = {kernels::grid_barrier_header(kernels::EmbeddedSources())};
    check.launch().cooperative = true;
    return check;
  };
  KernelCheck max = check_of(128);
  std::vector<double> reversed(256 * 128);
  for (std::size_t i = 0; i < reversed.size(); ++i) reversed[i] = static_cast<double>(reversed.size() - i);
  EXPECT_EQ(max.expecting(reversed).report(), "");
  const CheckVerdict more = check_of(129).verdict();
  EXPECT_TRUE(more.findings.empty());
  EXPECT_NE(more.not_emulated.find("129 blocks of 256 threads: 32768 threads"), std::string::npos)
      << more.not_emulated;
}

TEST(Cooperative, OnlyScratchMayBeginAsZeros) {
  KernelCheck check("extern \"C\" __global__ void k(const float* in, float* out, int n) {}\n");
  check.plan.buffers.back().fill = BufferFill::zero;
  EXPECT_THROW(check.verdict(), Error);
}

}  // namespace
}  // namespace tune::emulator
