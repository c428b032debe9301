// SPDX-License-Identifier: Apache-2.0
// Plans of gemm through the emulator against the reference: right at odd sizes, and with planted faults.
#include <gtest/gtest.h>

#include "kernels/gemm/model/variant.hpp"
#include "kernels/registry.hpp"
#include "tests/kernels/gemm/gemm_cases.hpp"
#include "tests/support/changed_sources.hpp"
#include "tests/support/emulated.hpp"

namespace tune::kernels {
namespace {

using testing::gemm_instance;
using testing::gemm_sample;
using testing::Settings;
using tune::testing::ChangedSources;
using tune::testing::EmulatedSample;

// At the sizes at which a run checks its configurations.
class GemmPlans : public ::testing::TestWithParam<std::string_view> {};

TEST_P(GemmPlans, AreRightAtTheirCheckSizes) {
  const auto problem = make_gemm();
  EmulatedSample sample(*problem);
  std::uint64_t seed = 1;
  for (const Settings& settings :
       {Settings{}, Settings{{"type", "double"}}, Settings{{"layout", "column"}, {"beta", 0.5}},
        Settings{{"type", "double"}, {"layout", "column"}, {"alpha", -2}, {"beta", 1}}}) {
    const Instance instance = gemm_instance("512x512x512", settings);
    for (const Configuration& chosen :
         gemm_sample(instance, "variant == '" + std::string(GetParam()) + "'", 8, ++seed))
      sample.add(chosen, problem->check_instances(instance, chosen));
  }
  sample.thin();
  expect_clean(sample);
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const GemmVariant& variant : gemm_variants())
    // Their own files test them: they are offered for other settings than these.
    if (variant.name != "tensor" && variant.name != "wgmma") all.push_back(variant.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Variants, GemmPlans, ::testing::ValuesIn(names()),
                         [](const auto& tested) { return std::string(tested.param); });

// Small tiles, so that a few extents give several of them and remainders along each axis.
constexpr const char* small_tiles =
    "block_m * block_n <= 4096 and slab == 8 and thread_m * thread_n <= 32 and min_blocks == 1";

TEST(GemmSplit, IsRightWithAnyRemainder) {
  const auto problem = make_gemm();
  EmulatedSample sample(*problem);
  std::uint64_t seed = 11;
  for (const Settings& settings : {Settings{}, Settings{{"beta", -1}}, Settings{{"type", "double"}}}) {
    // Parts of different lengths, and parts without a slab.
    std::vector<Instance> sizes;
    for (const char* size : {"70x45x203", "33x32x9", "1x3x1"}) sizes.push_back(gemm_instance(size, settings));
    for (const char* how : {"atomic", "not atomic"})
      for (const Configuration& chosen :
           gemm_sample(gemm_instance("512x512x2048", settings),
                       std::string(small_tiles) + " and split in [2, 3, 6] and padded and " + how, 3, ++seed))
        sample.add(chosen, sizes);
  }
  expect_clean(sample);
}

TEST(GemmPitch, MayBeAnythingWithoutPadding) {
  const auto problem = make_gemm();
  EmulatedSample sample(*problem);
  std::uint64_t seed = 31;
  for (const char* type : {"float", "double"}) {
    const Settings settings{{"type", type}};
    const std::vector<Instance> odd = {gemm_instance("67x71x37", settings), gemm_instance("1x1x1", settings)};
    const std::vector<Instance> even = {gemm_instance("67x74x38", settings)};
    const Instance any = gemm_instance("512x512x512", settings);
    const std::string small = std::string(small_tiles) + " and split == 1 and not padded and vector == ";
    for (const Configuration& chosen : gemm_sample(any, small + "1", 4, ++seed)) sample.add(chosen, odd);
    for (const Configuration& chosen : gemm_sample(any, small + "2", 4, ++seed)) sample.add(chosen, even);
  }
  expect_clean(sample);
}

/// A kernel file with one mistake, and configurations that meet it.
struct Fault {
  const char* file;
  const char* from;
  const char* to;
  const char* where;
};

const Fault faults[] = {
    {"gemm/tile.cu", "multiply_tiles(left_tile, right_tile, sums);\n    __syncthreads();",
     "multiply_tiles(left_tile, right_tile, sums);", "variant == 'tile'"},
    {"gemm/tile.cu", "k < tile; ++k", "k < tile - 1; ++k", "variant == 'prefetch' and unroll == 1"},
    {"gemm/tile.cu", "x < from.columns ?", "x <= from.columns ?", "variant == 'tile' and not padded"},
    {"gemm/register.cu", "parts.store(shared + stage);\n        __syncthreads();",
     "parts.store(shared + stage);", "variant == 'register' and stages == 2"},
    {"gemm/register.cu", "if (terms >= slab)", "if (terms >= 0)", "variant == 'register' and stages == 2"},
    {"gemm/register.cu", "parts.load<true>(operands, slab);\n        __syncthreads();",
     "parts.load<true>(operands, slab);", "variant == 'register' and stages == 3"},
    {"gemm/register.cu", "if (count == 1) operands.stay();", "", "variant == 'register' and stages == 3"},
    {"gemm/register.cu", "operands.advance(1 - count)", "operands.advance(2 - count)",
     "variant == 'register' and stages == 3"},
    {"gemm/async.cu", "wait_async<early_barrier ? stages - 3 : 0>();", "",
     "variant == 'async' and stages == 3 and early"},
    {"gemm/async.cu", "wait_async<stages - 2>();\n        __syncthreads();", "__syncthreads();",
     "variant == 'async' and stages == 2"},
    {"gemm/async.cu", "if (terms >= slab)", "if (terms >= 0)",
     "variant == 'async' and stages == 3 and not early"},
    {"gemm/async.cu", "Right::term(i) < terms ? vector * size : 0", "vector * size", "variant == 'async'"},
    {"gemm/blocked_tile.cuh", "thread_n - 1 - turn", "thread_n - 2 - turn + (turn == thread_n - 1)",
     "variant == 'register'"},
    {"gemm/blocked_tile.cuh", "const int height = min(group, tiles_m - first);", "const int height = group;",
     "variant == 'async' and group == 8 and block_m == 32"},
    {"gemm/blocked_operands.cuh", "min(Left::row(i), m - 1 - tile.row)", "Left::row(i)",
     "variant == 'async'"},
    {"gemm/blocked_result.cuh", "part < split; ++part", "part < split - 1; ++part",
     "variant == 'register' and split == 2 and not atomic"},
    {"gemm/blocked_result.cuh", "if (!whole && x >= result.n) continue;", "",
     "variant == 'register' and block_n == 64 and block_m == 64 and split == 1"},
};

TEST(GemmFaults, AreFound) {
  const auto problem = make_gemm();
  const Instance instance = gemm_instance("512x512x1024");
  EmulatedSample planted(*problem);
  for (const Fault& fault : faults) {
    const auto sources =
        std::make_shared<ChangedSources>(fault.file, fault.from, fault.to, ChangedSources::Where::everywhere);
    const std::string small = std::string(fault.where).find("tile'") != std::string::npos ||
                                      std::string(fault.where).find("prefetch") != std::string::npos
                                  ? "tile == 16"
                                  : small_tiles;
    const std::vector<Configuration> sample = gemm_sample(instance, small + " and " + fault.where, 2, 3);
    ASSERT_EQ(sample.size(), 2U) << fault.where;
    for (const Configuration& chosen : sample)
      planted.add(chosen, problem->check_instances(instance, chosen), sources);
  }
  expect_faults_found(planted);
}

}  // namespace
}  // namespace tune::kernels
