// SPDX-License-Identifier: Apache-2.0
// The variant `tensor` of gemm: which precisions it offers and how exact they are, what lanes read of shared
// memory, and faults planted in its kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/gemm/model/job.hpp"
#include "kernels/gemm/model/reference.hpp"
#include "kernels/registry.hpp"
#include "search/space/search_space.hpp"
#include "search/space/space_definition.hpp"
#include "tests/support/changed_sources.hpp"
#include "tests/support/covering.hpp"
#include "tests/support/emulated.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

using tune::testing::ChangedSources;
using tune::testing::complaint;
using tune::testing::EmulatedSample;

using Settings = std::vector<std::pair<std::string, Value>>;

Instance gemm_instance(const std::string& size, const Settings& settings) {
  return make_instance(make_gemm()->info(), size, settings);
}

const Settings doubles = {{"type", "double"}}, split_floats = {{"arithmetic", "tf32x3"}},
               rounded_floats = {{"arithmetic", "tf32"}};

search::SpaceDefinition definition_of(const Instance& instance, const std::string& where,
                                      const std::string& architecture = "sm_90") {
  return search::restrict_to(make_gemm()->space(instance, architecture_properties(architecture)),
                             search::Expr::parse("variant == 'tensor' and " + where));
}

/// `name == value` of an expression.
std::string condition_of(const std::string& name, const Value& value) {
  if (value.is_text()) return format("{} == '{}'", name, value.as_text());
  const std::string text = value.to_string();
  return format("{} == {}", name, text == "true" ? "True" : text == "false" ? "False" : text);
}

/// Configurations that have, together, every value that 300 random ones have, or every one that is no amount.
std::vector<Configuration> covering(const Instance& instance, bool amounts = true) {
  const search::SearchSpace space(definition_of(instance, "True"));
  search::Random random(5);
  std::vector<Configuration> drawn;
  for (int i = 0; i < 300; ++i) drawn.push_back(space.at(space.sample(random)));
  return tune::testing::covering(drawn, amounts);
}

// Every value that is offered is among them.
TEST(TensorSpace, SamplesHaveEveryValue) {
  for (const Settings& settings : {doubles, rounded_floats}) {
    const Instance instance = gemm_instance("4096x4096x4096", settings);
    std::set<std::string> seen;
    for (const Configuration& configuration : covering(instance))
      seen.merge(tune::testing::values_of(configuration));
    for (const search::Parameter& parameter : definition_of(instance, "True").parameters) {
      std::vector<std::string> unseen;
      for (const Value& value : parameter.values)
        if (!seen.contains(parameter.name + "=" + value.to_string()))
          unseen.push_back(condition_of(parameter.name, value));
      const std::string any = joined(unseen, {}, " or ");
      EXPECT_TRUE(unseen.empty() || search::SearchSpace(definition_of(instance, "(" + any + ")")).empty())
          << any;
    }
  }
}

std::set<std::string> precisions_at(const Settings& settings) {
  std::set<std::string> found;
  const Instance instance = gemm_instance("512x512x512", settings);
  for (const search::Parameter& parameter :
       make_gemm()->space(instance, architecture_properties("sm_90")).parameters)
    if (parameter.name == "precision")
      for (const Value& value : parameter.values) found.insert(value.as_text());
  return found;
}

TEST(TensorSpace, OffersWhatTheArithmeticAllows) {
  EXPECT_EQ(precisions_at({}), std::set<std::string>{});
  EXPECT_EQ(precisions_at(split_floats), std::set<std::string>{"tf32x3"});
  EXPECT_EQ(precisions_at(rounded_floats), (std::set<std::string>{"tf32", "tf32x3"}));
  EXPECT_EQ(precisions_at(doubles), std::set<std::string>{"f64"});
}

TEST(TensorSpace, NeedsADeviceThatHasThem) {
  DeviceProperties old = architecture_properties("sm_80");
  const Instance instance = gemm_instance("512x512x512", doubles);
  const auto count = [&](const DeviceProperties& device) {
    return search::SearchSpace(search::restrict_to(make_gemm()->space(instance, device),
                                                   search::Expr::parse("variant == 'tensor'")))
        .size();
  };
  EXPECT_GT(count(old), 1000U);
  old.compute_major = 7;
  EXPECT_EQ(count(old), 0U);
}

/// Every value of every parameter under every precision is clean at the check's odd sizes.
TEST(TensorEmulated, IsCleanAtOddSizes) {
  const auto problem = make_gemm();
  EmulatedSample sample(*problem);
  const Settings varied_doubles = {{"type", "double"}, {"layout", "column"}, {"alpha", -2}, {"beta", 0.5}};
  const Settings varied_floats = {{"arithmetic", "tf32"}, {"layout", "column"}, {"beta", -1}};
  for (const Settings& settings : {doubles, varied_doubles, split_floats, rounded_floats, varied_floats}) {
    const Instance instance = gemm_instance("512x512x512", settings);
    const std::vector<Configuration> chosen = covering(instance);
    ASSERT_GT(chosen.size(), 3U);
    for (const Configuration& one : chosen) sample.add(one, problem->check_instances(instance, one));
  }
  sample.thin();
  const std::vector<emulator::CheckVerdict> verdicts = sample.verdicts();
  for (std::size_t i = 0; i < sample.size(); ++i) {
    EXPECT_EQ(complaint(verdicts[i]), "") << sample.name(i);
    EXPECT_GT(verdicts[i].error, 0) << "was anything compared?";
  }
}

struct Fault {
  const char* file;
  const char* right;
  const char* wrong;
  const char* where = "True";  ///< which configurations it concerns
};

TEST(TensorEmulated, FaultsAreFound) {
  const std::vector<Fault> faults = {
      // A correction is missing, or is of the wrong parts.
      {"gemm/tensor_products.cuh", "multiply_add<inner>(part[i], high[i], low_b)", "(void)0"},
      {"gemm/tensor_products.cuh", "multiply_add<inner>(part[i], low[i], high_b)", "(void)0"},
      {"gemm/tensor_products.cuh", "multiply_add<inner>(part[i], low[i], high_b)",
       "multiply_add<inner>(part[i], low[i], low_b)"},
      // The terms of one operand are permuted otherwise than those of the other.
      {"gemm/tensor_products.cuh", "from.left[i][h][step / 4 + q], high",
       "from.left[i][h][(step / 4 + q) ^ 1], high"},
      // A swizzle on one side alone, rows exchanged, a wrong stage.
      {"gemm/tensor_tiles.cuh", "right_offset(t * pair, g * chunk)", "g * chunk + t * pair * block_n"},
      {"gemm/tensor_tiles.cuh", "unit % 4 * (4 * pair)", "0"},
      {"gemm/tensor.cu", "free_stage = stage;", "free_stage = 0;", "not ahead and stages == 4"},
      {"gemm/tensor.cu", "source.copy(slab + stages, here)", "source.copy(slab + stages - 1, here)", "ahead"},
      // Edges.
      {"gemm/tensor_tiles.cuh", "row < from.rows ?", "row <= from.rows ?"},
      {"gemm/tensor_tiles.cuh", "max(from.columns - column, 0)", "max(from.columns - column + 1, 0)",
       "padded"},
      {"gemm/tensor.cu", "whole && terms >= block_k", "whole"},
      {"gemm/tensor.cu", "if (y >= m) continue;", "if (y > m) continue;"},
      {"gemm/tensor.cu", "if (e >= present) continue;", "if (e > present) continue;", "not padded"},
      {"gemm/tensor.cu", "min(group, tiles_m - first_tile)", "group", "group == 4"},
  };
  const Instance instance = gemm_instance("512x512x512", split_floats);
  const auto problem = make_gemm();
  EmulatedSample planted(*problem);
  for (const Fault& fault : tune::testing::sampled_faults(faults)) {
    const search::SearchSpace space(definition_of(instance, fault.where));
    search::Random random(3);
    const auto sources = std::make_shared<ChangedSources>(fault.file, fault.right, fault.wrong);
    for (int i = 0; i < 2; ++i) {
      const Configuration chosen = space.at(space.sample(random));
      planted.add(chosen, problem->check_instances(instance, chosen), sources);
    }
  }
  expect_faults_found(planted);
}

/// The largest error of a configuration at one size, and the tolerance of its plan.
std::pair<double, double> error_at(const Instance& instance, const std::string& where) {
  const search::SearchSpace space(definition_of(instance, where));
  search::Random random(1);
  const Configuration configuration = space.at(space.sample(random));
  const std::unique_ptr<Problem> problem = make_gemm();
  EmulatedSample sample(*problem);
  sample.add(configuration, {instance});
  emulator::CheckOptions options;
  options.flavour = emulator::Flavour::plain;
  const emulator::CheckVerdict only = sample.verdicts(options).front();
  EXPECT_EQ(complaint(only), "") << configuration.to_string();
  return {only.error, only.tolerance};
}

// Each precision is within its own tolerance, and the coarser one is beyond that of the finer one, at short
// and at long sums.
TEST(TensorPrecision, TolerancesTellPrecisionsApart) {
  for (const int k : {3, 100, 1500}) {
    SCOPED_TRACE(k);
    const Instance instance = gemm_instance(format("50x60x{}", k), rounded_floats);
    const auto [rounded, rounded_limit] = error_at(instance, "precision == 'tf32'");
    for (const bool rounded_parts : {false, true}) {
      const auto [error, limit] =
          error_at(instance, format("precision == 'tf32x3' and {} rounded", rounded_parts ? "" : "not"));
      EXPECT_LT(error, limit);
      EXPECT_GT(rounded, 2 * limit) << "tf32 would pass as tf32x3";
      std::printf("k = %d, tf32x3, rounded %d: error %.3g of %.3g\n", k, rounded_parts, error, limit);
    }
    std::printf("k = %d, tf32: error %.3g of %.3g\n", k, rounded, rounded_limit);
    EXPECT_LT(rounded, rounded_limit);
    EXPECT_LT(rounded_limit, 400 * rounded) << "a limit that lets anything pass";
  }
}

/// A kernel that tells, for each lane, with how many of the others that are served together its first reads
/// of both tiles share banks: sixteen lanes of 8 bytes in the left tile, eight of 16 in the right one.
constexpr const char* bank_kernel = R"(
using Real = REAL;
constexpr int block_m = BLOCK_M, block_n = BLOCK_N, block_k = SLAB, warp_m = 32, warp_n = 32;
constexpr int vector = 1, inner = 8, turn = inner;
constexpr int fragments_m = warp_m / 16, fragments_n = warp_n / 8;
#include "tensor_tiles.cuh"
template<int lanes>
__device__ int sharing(int offset) {
  const int place = offset / (lanes == 16 ? pair : chunk) % lanes;
  int others = -1;
  for (int lane = 0; lane < lanes; ++lane) others += __shfl_sync(0xffffffffu, place, lane, lanes) == place;
  return others;
}
extern "C" __global__ void k(const float* in, float* out, int n) {
  const int lane = threadIdx.x;
  int conflicts = 0;
  for (int row = 0; row < block_m; row += warp_m) {
    const LanePlace place = lane_place(lane, row, row % block_n / warp_n * warp_n);
    conflicts += sharing<16>(place.left) + sharing<8>(place.right);
  }
  out[lane] = conflicts;
}
)";

/// What the emulator says of the kernel: nothing where there are no conflicts.
std::string conflicts_in(const KernelSources& sources) {
  std::string found;
  for (const char* type : {"float", "double"}) {
    for (const int slab : {8, 16, 32}) {
      if (slab == 8 && std::string(type) == "float") continue;
      for (const int block_n : {32, 128}) {
        LaunchPlan plan;
        plan.compile.source = {"k.cu", bank_kernel};
        for (const char* file : {"gemm/tensor_tiles.cuh", "common/async_copy.cuh", "common/vectors.cuh"}) {
          const std::string name = file;
          plan.compile.headers.push_back({name.substr(name.find('/') + 1), sources.text(file)});
        }
        plan.compile.source.text =
            "#include \"async_copy.cuh\"\n#include \"vectors.cuh\"\n" + plan.compile.source.text;
        plan.compile.defines = {{"REAL", type},
                                {"BLOCK_M", "128"},
                                {"BLOCK_N", std::to_string(block_n)},
                                {"SLAB", std::to_string(slab)}};
        plan.compile.entries = {"k"};
        plan.buffers = {{"in", ElementType::f32, Layout::dense({32}), BufferRole::input},
                        {"out", ElementType::f32, Layout::dense({32}), BufferRole::output}};
        Launch launch;
        launch.entry = "k";
        launch.block = {32};
        launch.arguments = {BufferArgument{"in"}, BufferArgument{"out"}, ScalarArgument{std::int32_t{32}}};
        plan.launches = {launch};
        ReferenceData expected;
        expected.inputs.emplace("in", HostTensor(ElementType::f32, {32}));
        expected.reference.emplace("out", HostTensor(ElementType::f64, {32}));
        expected.tolerance.absolute = 0.1;
        const std::string text = complaint(emulator::check(plan, expected));
        if (!text.empty()) found += format("{}, {} x {}: {}", type, slab, block_n, text);
      }
    }
  }
  return found;
}

// What eight lanes read at once lies in eight different groups of banks.
TEST(TensorTiles, LanesReadWithoutBankConflicts) {
  EXPECT_EQ(conflicts_in(EmbeddedSources()), "");
  const std::string file = "gemm/tensor_tiles.cuh";
  EXPECT_NE(conflicts_in(ChangedSources(file, "(column / chunk) ^ (2 * (row / pair % 4))", "column / chunk")),
            "");
  EXPECT_NE(conflicts_in(ChangedSources(file, "(column / chunk) ^ (2 * (wide_rows ? row % 4 : row / 2 % 2))",
                                        "column / chunk")),
            "");
}

/// Instance settings and architecture.
class TensorCompiles : public ::testing::TestWithParam<const char*> {};

TEST_P(TensorCompiles, ForTheArchitecture) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler(GetParam(), &reason);
  if (!compiler) GTEST_SKIP() << reason;
  const EmbeddedSources sources;
  const std::unique_ptr<Problem> problem = make_gemm();
  CompilePool pool(*compiler, host_threads());
  std::vector<std::pair<std::string, std::future<Result<Binary>>>> compiling;
  for (const Settings& settings : {doubles, rounded_floats}) {
    const Instance instance = gemm_instance("4096x4096x4096", settings);
    for (const Configuration& configuration : covering(instance, GetParam() == std::string("sm_90"))) {
      const Result<LaunchPlan> plan = problem->plan(instance, configuration, sources);
      ASSERT_TRUE(plan);
      compiling.emplace_back(configuration.to_string(), pool.submit(plan->compile));
    }
  }
  int spilled = 0;
  for (auto& [configuration, future] : compiling) {
    SCOPED_TRACE(configuration);
    const Result<Binary> binary = future.get();
    ASSERT_TRUE(binary) << binary.error().detail;
    for (const auto& [entry, resources] : binary->resources) {
      EXPECT_GT(resources.registers, 0);
      EXPECT_LE(resources.registers, 255);
      EXPECT_EQ(resources.static_shared_memory, 0) << "shared memory is dynamic";
      if (resources.spill_store_bytes == 0) continue;
      ++spilled;
      EXPECT_LT(resources.spill_store_bytes, 800) << "the estimate of the registers is too low";
    }
  }
  std::printf("%s: %zu configurations compiled, %d spill registers\n", GetParam(), compiling.size(), spilled);
}

INSTANTIATE_TEST_SUITE_P(Architectures, TensorCompiles,
                         ::testing::ValuesIn(tune::testing::tried_architectures()),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace tune::kernels
