// SPDX-License-Identifier: Apache-2.0
// The variant `wgmma` of gemm: where it is offered, right results at odd sizes, planted faults, what
// compiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "tests/kernels/gemm/gemm_cases.hpp"
#include "tests/support/changed_sources.hpp"
#include "tests/support/covering.hpp"
#include "tests/support/emulated.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"

namespace tune::kernels {
namespace {

using testing::gemm_instance;
using testing::gemm_sample;
using testing::gemm_space_on;
using testing::Settings;
using tune::testing::ChangedSources;
using tune::testing::complaint;
using tune::testing::EmulatedSample;

const Settings split_floats = {{"arithmetic", "tf32x3"}}, rounded_floats = {{"arithmetic", "tf32"}};
const std::string here = "variant == 'wgmma'";
/// Small tiles, so that a check is quick.
const std::string small = here + " and block_m <= 128 and block_n <= 128";

/// Configurations that have, together, every value that 400 random ones have.
std::vector<Configuration> covering(const Instance& instance, const std::string& where) {
  return tune::testing::covering(gemm_sample(instance, where, 400, 5));
}

std::uint64_t count(const Settings& settings, const std::string& architecture) {
  return gemm_space_on(gemm_instance("4096x4096x4096", settings), architecture, here).size();
}

TEST(WgmmaSpace, IsOfferedWhereItRuns) {
  EXPECT_GT(count(split_floats, "sm_90"), 1000U);
  for (const char* other : {"sm_80", "sm_89", "sm_100", "sm_120"}) EXPECT_EQ(count(split_floats, other), 0U);
  EXPECT_EQ(count({}, "sm_90"), 0U) << "strict";
  EXPECT_EQ(count({{"type", "double"}}, "sm_90"), 0U);
}

TEST(WgmmaSpace, HasBothPrecisions) {
  const Instance instance = gemm_instance("4096x4096x4096", rounded_floats);
  for (const char* precision : {"tf32", "tf32x3"})
    EXPECT_FALSE(
        gemm_space_on(instance, "sm_90", here + format(" and precision == '{}'", precision)).empty());
  EXPECT_TRUE(
      gemm_space_on(gemm_instance("64x64x64", split_floats), "sm_90", here + " and precision == 'tf32'")
          .empty());
}

/// Every value of every parameter is clean at the check's odd sizes.
TEST(WgmmaEmulated, IsCleanAtOddSizes) {
  const auto problem = make_gemm();
  EmulatedSample sample(*problem);
  const Settings varied = {{"arithmetic", "tf32"}, {"layout", "column"}, {"alpha", -2}, {"beta", 0.5}};
  for (const Settings& settings : {split_floats, rounded_floats, varied}) {
    const Instance instance = gemm_instance("512x512x512", settings);
    const std::vector<Configuration> chosen = covering(instance, here);
    ASSERT_GT(chosen.size(), 3U);
    for (const Configuration& one : chosen) sample.add(one, problem->check_instances(instance, one));
  }
  sample.thin();
  const std::vector<emulator::CheckVerdict> verdicts = sample.verdicts();
  for (std::size_t i = 0; i < sample.size(); ++i) {
    EXPECT_EQ(complaint(verdicts[i]), "") << sample.name(i);
    EXPECT_GT(verdicts[i].error, 0) << "was anything compared?";
    EXPECT_LT(verdicts[i].error, verdicts[i].tolerance);
  }
}

struct Fault {
  const char* file;
  const char* right;
  const char* wrong;
  std::string where = "True";  ///< which configurations it concerns
};

const char* const kernel = "gemm/wgmma.cu";
const char* const tiles = "gemm/wgmma_tiles.cuh";
const char* const header = "common/warpgroup_product.cuh";

TEST(WgmmaEmulated, FaultsAreFound) {
  const std::vector<Fault> faults = {
      // Where products look for their operand: swizzles, distances, descriptors.
      {header, "row & 7 : row / 2 & 3", "0 : 0"},
      {header, "row_bytes == 128 ? 1 : 2", "row_bytes == 128 ? 2 : 1"},
      {header, "8 * row_bytes / 16", "row_bytes / 16"},
      {header, "(address & 0x3ffffu) >> 4", "(address & 0x3ffffu) >> 4 << 1"},
      {tiles, "swizzled_piece<row_bytes>(row, column / 4)", "(column / 4)"},
      {kernel, "left.whole + first + 2 * s", "left.whole + first + s"},
      {kernel, "progress.stage * tile", "progress.small * tile", "stages > 3"},
      // What fragments are made of.
      {tiles, "place + (first + 8 * s + 4 * q) * block_n", "place + (first + 8 * s + 2 * q) * block_n"},
      {kernel, "right_offset(t, warp * 16 + 2 * g)", "right_offset(t, warp * 16 + g)"},
      {kernel, "sums.whole[p][4 * j + 2 + i]", "sums.whole[p][4 * j + 1 + i]"},
      // A product is missing, or has the wrong operand.
      {kernel, "start_product<instruction>(to, right.low[s], left.whole + first + 2 * s, s > 0);", "",
       "precision == 'tf32x3'"},
      {kernel, "right.high[s], left.small + first + 2 * s, true",
       "right.low[s], left.small + first + 2 * s, true", "precision == 'tf32x3'"},
      {kernel, "left.whole + first + 2 * s, s > 0)", "left.whole + first + 2 * s, true)",
       "precision == 'tf32x3'"},
      // Products are not waited for, or operands are overwritten while they may be read.
      {kernel, "wait_products<last_part && second ? 0 : 1>();", "", "partial_sums == 2"},
      {kernel, "wait_products<last_part && second ? 0 : 1>();", "wait_products<1>();", "partial_sums == 2"},
      {kernel, "wait_products<0>();", "", "partial_sums == 1"},
      {kernel, "    __syncthreads();", "    "},
      {kernel, "wait_async<stages - 3>();", ""},
      {kernel, "wait_async<stages - 3>();", "wait_async<stages - 2>();"},
      {kernel, "tiles, at.free_stage)", "tiles, at.stage)"},
      {kernel, "at.small + 1 == 3 ? 0 : at.small + 1));", "at.small));", "precision == 'tf32x3'"},
      // Edges.
      {tiles, "row < from.rows ?", "row <= from.rows ?"},
      {tiles, "max(from.columns - column, 0)", "max(from.columns - column + 1, 0)", "padded"},
      {kernel, "whole && terms >= block_k", "whole"},
      {kernel, "at.slabs += at.slabs % 2;", "", "slab == 16"},
      {kernel, "if (y >= m) continue;", "if (y > m) continue;"},
      {kernel, "else if (present == 1)", "else if (present == 0)"},
      {kernel, "min(group, tiles_m - first_tile)", "group", "group == 4"},
  };
  const Instance instance = gemm_instance("512x512x512", rounded_floats);
  const auto problem = make_gemm();
  EmulatedSample planted(*problem);
  for (const Fault& fault : tune::testing::sampled_faults(faults)) {
    const std::vector<Configuration> sample = gemm_sample(instance, small + " and " + fault.where, 1, 3);
    ASSERT_EQ(sample.size(), 1U) << fault.where;
    planted.add(sample[0], problem->check_instances(instance, sample[0]),
                std::make_shared<ChangedSources>(fault.file, fault.right, fault.wrong,
                                                 ChangedSources::Where::everywhere));
  }
  expect_faults_found(planted);
}

// Each precision is within its own tolerance, and the coarser one is beyond that of the finer one.
TEST(WgmmaPrecision, TolerancesTellPrecisionsApart) {
  for (const int k : {3, 100, 1000}) {
    SCOPED_TRACE(k);
    const Instance instance = gemm_instance(format("50x60x{}", k), rounded_floats);
    const auto problem = make_gemm();
    EmulatedSample sample(*problem);
    for (const char* where :
         {"precision == 'tf32x3'", "precision == 'tf32' and rounded", "precision == 'tf32' and not rounded"})
      sample.add(gemm_sample(instance, small + " and padded and " + where, 1, 1).at(0), {instance});
    emulator::CheckOptions options;
    options.flavour = emulator::Flavour::plain;
    const std::vector<emulator::CheckVerdict> verdicts = sample.verdicts(options);
    for (const emulator::CheckVerdict& verdict : verdicts) {
      EXPECT_EQ(complaint(verdict), "");
      EXPECT_LT(verdict.error, verdict.tolerance);
      EXPECT_LT(verdict.tolerance, 400 * verdict.error) << "a limit that lets anything pass";
      std::printf("k = %d: error %.3g of %.3g\n", k, verdict.error, verdict.tolerance);
    }
    EXPECT_GT(verdicts[1].error, 2 * verdicts[0].tolerance) << "tf32 would pass as tf32x3";
    EXPECT_GT(verdicts[2].error, verdicts[1].error);
  }
}

TEST(WgmmaCompiles, ForItsArchitectureAlone) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler("sm_90", &reason);
  if (!compiler) GTEST_SKIP() << reason;
  const EmbeddedSources sources;
  const std::unique_ptr<Problem> problem = make_gemm();
  const Instance instance = gemm_instance("4096x4096x4096", rounded_floats);
  std::vector<std::pair<std::string, std::future<Result<Binary>>>> compiling;
  CompilePool pool(*compiler, host_threads());
  const auto alike = [](const Configuration&) { return 0; };
  for (const Configuration& configuration : tune::testing::sampled(covering(instance, here), alike, 4)) {
    const Result<LaunchPlan> plan = problem->plan(instance, configuration, sources);
    ASSERT_TRUE(plan);
    compiling.emplace_back(configuration.to_string(), pool.submit(plan->compile));
  }
  int spilled = 0;
  for (auto& [configuration, future] : compiling) {
    SCOPED_TRACE(configuration);
    const Result<Binary> binary = future.get();
    ASSERT_TRUE(binary) << binary.error().detail;
    EXPECT_EQ(binary->log.find("serialized"), std::string::npos) << "products wait for each other";
    EXPECT_EQ(binary->log.find("injected"), std::string::npos) << binary->log;
    for (const auto& [entry, resources] : binary->resources) {
      EXPECT_LE(resources.registers, 255);
      EXPECT_EQ(resources.static_shared_memory, 0) << "shared memory is dynamic";
      spilled += resources.spill_store_bytes > 0 ? 1 : 0;
      EXPECT_LT(resources.spill_store_bytes, 200) << "the estimate of the registers is too low";
    }
  }
  std::printf("%zu configurations compiled, %d spill registers\n", compiling.size(), spilled);
}

TEST(WgmmaCompiles, OnlyWhereItIsAskedForWhatTheArchitectureHas) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler("sm_90", &reason);
  if (!compiler) GTEST_SKIP() << reason;
  const Instance instance = gemm_instance("512x512x512", split_floats);
  Result<LaunchPlan> plan =
      make_gemm()->plan(instance, gemm_sample(instance, here, 1, 1).at(0), EmbeddedSources());
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->compile.architecture_specific);
  const std::string specific = content_of(plan->compile);
  plan->compile.architecture_specific = false;
  EXPECT_NE(content_of(plan->compile), specific) << "a cache would mix the binaries up";
  const Result<Binary> binary = compiler->compile(plan->compile);
  ASSERT_FALSE(binary);
  EXPECT_EQ(binary.error().phase, Phase::compile);
}

}  // namespace
}  // namespace tune::kernels
