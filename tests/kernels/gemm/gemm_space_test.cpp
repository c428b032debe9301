// SPDX-License-Identifier: Apache-2.0
// The space of gemm against its plans, and a sample that has every value compiled for real architectures.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/gemm/model/variant.hpp"
#include "kernels/registry.hpp"
#include "tests/kernels/gemm/gemm_cases.hpp"
#include "tests/support/covering.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

using testing::gemm_instance;
using testing::gemm_sample;
using testing::gemm_space_on;

/// `name == value`, as an expression.
std::string condition(const std::string& name, const Value& value) {
  if (value.is_text()) return name + " == '" + value.as_text() + "'";
  if (value.is_bool()) return name + " == " + (value.as_bool() ? "True" : "False");
  return name + " == " + value.to_string();
}

const Instance& floats() {
  static const Instance instance = gemm_instance("512x384x1024");
  return instance;
}
const Instance& doubles() {
  static const Instance instance = gemm_instance("512x384x1024", {{"type", "double"}});
  return instance;
}

TEST(GemmSpace, HasItsDefaultsAtAnySize) {
  for (const char* type : {"float", "double"})
    for (const char* size : {"4096x4096x4096", "1x1x1", "3x1000000x5", "70000x3x2"}) {
      const Instance instance = gemm_instance(size, {{"type", type}});
      SCOPED_TRACE(instance.key());
      const search::SearchSpace space = gemm_space_on(instance, "sm_90");
      ASSERT_FALSE(space.empty());
      const auto id = space.default_configuration();
      ASSERT_TRUE(id);
      EXPECT_TRUE(make_gemm()->plan(instance, space.at(*id), EmbeddedSources()));
    }
}

TEST(GemmSpace, KeepsVectorsAlignedAndBlocksWithinTheDevice) {
  const DeviceProperties device = architecture_properties("sm_90");
  const EmbeddedSources sources;
  for (const char* size : {"130x257x131", "512x384x1024"})
    for (const Instance& instance : {gemm_instance(size), gemm_instance(size, {{"type", "double"}})})
      for (const GemmVariant& variant : gemm_variants()) {
        if (!variant.applies(gemm_job(instance))) continue;
        for (const Configuration& chosen :
             gemm_sample(instance, "variant == '" + std::string(variant.name) + "'", 40, 5)) {
          const auto plan = make_gemm()->plan(instance, chosen, sources);
          ASSERT_TRUE(plan) << chosen.to_string();
          const auto vector =
              static_cast<std::uint64_t>(chosen.has("vector") ? chosen["vector"].as_int() : 1);
          for (const char* name : {"a", "b", "c"})
            EXPECT_EQ(plan->buffer(name).layout.strides[1] % vector, 0u) << chosen.to_string();
          for (const Launch* launch : kernel_launches(*plan)) {
            EXPECT_LE(launch->block.count(), static_cast<std::uint64_t>(device.max_threads_per_block));
            EXPECT_EQ(launch->block.count() % 32, 0u) << chosen.to_string();
            EXPECT_LE(launch->dynamic_shared_memory,
                      static_cast<std::uint64_t>(device.shared_memory_per_block_optin));
          }
          for (const Instance& check : make_gemm()->check_instances(instance, chosen))
            EXPECT_TRUE(make_gemm()->plan(check, chosen, sources)) << check.key();
        }
      }
}

TEST(GemmSpace, SplitsSumsWhereTilesAreFew) {
  const char* split = "split > 1";
  EXPECT_FALSE(gemm_space_on(gemm_instance("256x256x16384"), "sm_90", split).empty());
  EXPECT_TRUE(gemm_space_on(gemm_instance("16384x16384x16384"), "sm_90", split).empty());
  EXPECT_TRUE(gemm_space_on(gemm_instance("256x256x16"), "sm_90", split).empty());
}

TEST(GemmPlan, RefusesWhatAGridCannotCount) {
  const Instance instance = gemm_instance("2000000000x1000000x1");
  const Configuration small{{"variant", "tile"}, {"tile", 8},       {"rows", 1},
                            {"unroll", 1},       {"padded", false}, {"min_blocks", 1}};
  EXPECT_FALSE(make_gemm()->plan(instance, small, EmbeddedSources()));
  EXPECT_FALSE(make_gemm()->plan(gemm_instance("2147483647x1x1"), small, EmbeddedSources()));
  EXPECT_TRUE(make_gemm()->plan(gemm_instance("2147000000x1x1"), small, EmbeddedSources()));
}

// Whoever made a configuration before there was a parameter gets what the kernel files have by default.
TEST(GemmPlan, TakesDefaultsForWhatAConfigurationLacks) {
  for (const char* variant : {"register", "async"}) {
    Configuration few{{"variant", variant}, {"block_m", 64}, {"block_n", 64},  {"slab", 8},
                      {"thread_m", 8},      {"thread_n", 8}, {"lanes_m", 4},   {"lane_pairs", true},
                      {"vector", 4},        {"group", 8},    {"padded", true}, {"min_blocks", 1}};
    const auto lacking = make_gemm()->plan(floats(), few, EmbeddedSources());
    few.set("split", 1);
    few.set("slices", 1);
    few.set("stages", std::string_view(variant) == "async" ? 3 : 2);
    if (std::string_view(variant) == "async") few.set("transposed", true);
    const auto full = make_gemm()->plan(floats(), few, EmbeddedSources());
    ASSERT_TRUE(lacking && full);
    EXPECT_EQ(launches_of(*lacking), launches_of(*full));
  }
}

class GemmCompiles : public ::testing::TestWithParam<const char*> {};

TEST_P(GemmCompiles, WithEveryValue) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler(GetParam(), &reason);
  if (!compiler) GTEST_SKIP() << reason;
  const EmbeddedSources sources;
  std::vector<std::pair<Instance, Configuration>> sample;
  // Values of both types are the same names: those of doubles on one architecture.
  const bool all = std::string_view(GetParam()) == "sm_90";
  for (const Instance& instance : all ? std::vector{floats(), doubles()} : std::vector{floats()}) {
    std::set<std::string> seen;
    std::uint64_t seed = 1;
    for (const auto& [name, value] : testing::gemm_values(instance, GetParam())) {
      if (seen.contains(condition(name, value))) continue;
      if (!all && tune::testing::is_amount(name + "=" + value.to_string())) continue;
      // Of those that have it, one that compiles quickly.
      const std::string has = condition(name, value);
      std::vector<Configuration> some =
          gemm_sample(instance, has + " and thread_m * thread_n <= 32 and slab == 8", 1, ++seed);
      if (some.empty()) some = gemm_sample(instance, has, 1, seed);
      if (some.empty()) continue;
      const Configuration& chosen = some[0];
      for (const auto& [parameter, taken] : chosen.entries()) seen.insert(condition(parameter, taken));
      sample.emplace_back(instance, chosen);
    }
  }
  sample = tune::testing::sampled(std::move(sample),
                                  [](const auto& one) { return one.second["variant"].to_string(); });
  CompilePool pool(*compiler, host_threads());
  std::vector<std::future<Result<Binary>>> compiling;
  for (const auto& [instance, configuration] : sample)
    compiling.push_back(pool.submit(make_gemm()->plan(instance, configuration, sources)->compile));
  int spilled = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    SCOPED_TRACE(sample[i].second.to_string());
    const Result<Binary> binary = compiling[i].get();
    ASSERT_TRUE(binary) << binary.error().detail;
    for (const auto& [entry, resources] : binary->resources) {
      EXPECT_GT(resources.registers, 0);
      EXPECT_EQ(resources.static_shared_memory, 0) << "shared memory is dynamic";
      if (resources.spill_store_bytes > 0) ++spilled;
    }
  }
  // The estimates of registers are what a kernel cannot do without: a few that need more spill.
  EXPECT_LE(spilled, static_cast<int>(sample.size() / 5));
  std::printf("%s: %zu configurations compiled, %d spill registers\n", GetParam(), sample.size(), spilled);
}

INSTANTIATE_TEST_SUITE_P(Architectures, GemmCompiles,
                         ::testing::ValuesIn(tune::testing::tried_architectures()),
                         [](const auto& tested) { return std::string(tested.param); });

// What is meant to be fast must not lose registers to memory.
TEST(GemmRegisters, AreEnoughForTheLargeTiles) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler("sm_90", &reason);
  if (!compiler) GTEST_SKIP() << reason;
  const std::string common =
      "padded and split == 1 and group == 8 and lanes_m == 4 and slab == 8 and lane_pairs";
  for (const char* where :
       {"variant == 'register' and vector == 4 and block_m == 128 and block_n == 256 and thread_m == 8 and "
        "thread_n == 16 and min_blocks == 1",
        "variant == 'async' and vector == 4 and block_m == 128 and block_n == 256 and thread_m == 8 and "
        "thread_n == 16 and min_blocks == 1 and stages == 3",
        "variant == 'async' and vector == 4 and block_m == 128 and block_n == 128 and thread_m == 8 and "
        "thread_n == 8 and min_blocks == 2 and stages == 3 and transposed"}) {
    const Instance instance = gemm_instance("4096x4096x4096");
    for (const Configuration& chosen : gemm_sample(instance, common + " and " + where, 1, 1)) {
      const auto binary = compiler->compile(make_gemm()->plan(instance, chosen, EmbeddedSources())->compile);
      ASSERT_TRUE(binary) << binary.error().detail;
      EXPECT_EQ(binary->resources.at("gemm").spill_store_bytes, 0) << chosen.to_string();
    }
    EXPECT_FALSE(gemm_sample(instance, common + " and " + where, 1, 1).empty()) << where;
  }
}

}  // namespace
}  // namespace tune::kernels
