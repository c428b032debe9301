// SPDX-License-Identifier: Apache-2.0
// matvec's kernels: compiled for real architectures, and on the CPU, with faults planted.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/matvec/model/job.hpp"
#include "kernels/matvec/model/reference.hpp"
#include "kernels/registry.hpp"
#include "search/random.hpp"
#include "search/space/search_space.hpp"
#include "tests/support/changed_sources.hpp"
#include "tests/support/covering.hpp"
#include "tests/support/emulated.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

using tune::testing::ChangedSources;
using tune::testing::complaint;

Instance instance_of(const std::string& size, const std::string& op, const std::string& type) {
  const std::vector<std::pair<std::string, Value>> settings = {{"op", op}, {"type", type}};
  return make_instance(make_matvec()->info(), size, settings);
}

/// Configurations that have, together, every value of every parameter at this instance.
std::vector<Configuration> covering(const Instance& instance, const DeviceProperties& device) {
  const auto problem = make_matvec();
  const search::SpaceDefinition definition = problem->space(instance, device);
  const search::SearchSpace space(definition);
  std::set<std::string> wanted;
  for (const search::Parameter& parameter : definition.parameters)
    if (parameter.name != "strip")
      for (const Value& value : parameter.values) wanted.insert(parameter.name + "=" + value.to_string());
  std::vector<Configuration> drawn;
  search::Random random(11);
  for (int i = 0; i < 1000; ++i) drawn.push_back(space.at(space.sample(random)));
  std::vector<Configuration> chosen = tune::testing::covering(drawn);
  for (const Configuration& one : chosen)
    for (const auto& [name, value] : one.entries()) wanted.erase(name + "=" + value.to_string());
  for (const std::string& value : wanted)
    std::printf("not at %s: %s\n", instance.key().c_str(), value.c_str());
  return chosen;
}

/// Architecture, size, op, type.
using Compiled = std::tuple<const char*, const char*, const char*, const char*>;
class MatvecCompiles : public ::testing::TestWithParam<Compiled> {};

TEST_P(MatvecCompiles, ForTheArchitecture) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler(std::get<0>(GetParam()), &reason);
  if (!compiler) GTEST_SKIP() << reason;
  const auto problem = make_matvec();
  const EmbeddedSources sources;
  CompilePool pool(*compiler, host_threads());
  int compiled = 0, spilled = 0;
  const auto [architecture, size, op, type] = GetParam();
  const Instance instance = instance_of(size, op, type);
  std::vector<std::pair<Configuration, std::future<Result<Binary>>>> compiling;
  for (const Configuration& one : covering(instance, architecture_properties(architecture)))
    compiling.emplace_back(one, pool.submit(problem->plan(instance, one, sources)->compile));
  for (auto& [configuration, binary_of] : compiling) {
    SCOPED_TRACE(configuration.to_string());
    const Result<Binary> binary = binary_of.get();
    ASSERT_TRUE(binary) << binary.error().detail;
    ++compiled;
    bool spills = false;
    for (const auto& [name, resources] : binary->resources) spills |= resources.spill_store_bytes > 0;
    if (spills) std::printf("spills: %s\n", configuration.to_string().c_str());
    spilled += spills ? 1 : 0;
  }
  std::printf("%s: %d compiled, %d with spills\n", architecture, compiled, spilled);
  EXPECT_GE(compiled, 10);
  // The rules' estimate keeps nearly all configurations in the registers that they have.
  EXPECT_LE(spilled * 5, compiled);
}

/// The others only with ./run-tests --long.
std::vector<Compiled> compiled_cases() {
  std::vector<Compiled> all{{"sm_90", "16384x16384", "ata", "float"},
                            {"sm_80", "5000x1001", "ata", "double"},
                            {"sm_120", "512x262144", "t", "float"}};
  if (!tune::testing::runs_all_cases()) all.resize(1);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Architectures, MatvecCompiles, ::testing::ValuesIn(compiled_cases()),
                         [](const auto& tested) { return std::string(std::get<0>(tested.param)); });

emulator::CheckVerdict verdict_of(const KernelSources& sources, const Instance& instance,
                                  const std::string& text, int executions = 1) {
  const auto problem = make_matvec();
  Result<LaunchPlan> plan = problem->plan(instance, Configuration::parse(text), sources);
  EXPECT_TRUE(plan);
  const std::vector<PlanStep> once = plan->launches;
  for (int i = 1; i < executions; ++i) plan->launches.insert(plan->launches.end(), once.begin(), once.end());
  ReferenceData expected;
  expected.inputs = problem->inputs(instance, 1);
  expected.reference = problem->reference(instance, expected.inputs);
  expected.tolerance = problem->tolerance(instance);
  return emulator::check(*plan, expected);
}

constexpr const char* fused =
    "variant=fused,kept=shared,place=shared,vector=4,unroll_x=2,block_x=64,unroll_y=2,block_y=2,stages=3,"
    "min_blocks=1,strip=23,reduction=kernel,reduce_parts=4,padded=true";
constexpr const char* registers =
    "variant=fused,kept=registers,place=registers,vector=2,unroll_x=3,block_x=96,unroll_y=2,block_y=1,stages="
    "2,"
    "min_blocks=1,strip=17,path=streaming,reduction=barrier,padded=true";
constexpr const char* sliced =
    "variant=sliced,kept=shared,place=registers,vector=4,unroll_x=1,block_x=64,unroll_y=2,block_y=2,stages=4,"
    "lag=1,min_blocks=1,strip=29,reduction=kernel,reduce_parts=4,padded=true";
constexpr const char* sliced_barrier =
    "variant=sliced,kept=shared,place=registers,vector=4,unroll_x=1,block_x=64,unroll_y=2,block_y=2,stages=4,"
    "lag=1,min_blocks=1,strip=29,reduction=barrier,padded=true";
constexpr const char* cooperative =
    "variant=cooperative,kept=shared,place=registers,vector=1,unroll_x=2,block_x=64,unroll_y=3,block_y=1,"
    "stages=3,min_blocks=1,strip=20,reduction=barrier,padded=false";
constexpr const char* two_pass =
    "variant=two_pass,kept=registers,place=registers,vector=4,unroll_x=1,block_x=32,unroll_y=2,block_y=4,"
    "stages=1,min_blocks=1,strip=30,path=readonly,reduction=atomic,padded=true";

// Sums of earlier executions, tags and counters do not disturb those that follow.
TEST(MatvecPlans, MayRunSeveralTimes) {
  const EmbeddedSources sources;
  for (const char* type : {"float", "double"})
    for (const char* text : {fused, registers, sliced, cooperative, two_pass}) {
      if (std::string(type) == "double" && text == registers) continue;
      SCOPED_TRACE(text);
      const emulator::CheckVerdict verdict = verdict_of(sources, instance_of("61x403", "ata", type), text, 3);
      EXPECT_TRUE(verdict.clean()) << complaint(verdict);
      EXPECT_GT(verdict.tolerance, 0);
    }
}

// Every lag and number of stages, with strips that end at different times.
TEST(MatvecPlans, ExchangeAtAnyLag) {
  const EmbeddedSources sources;
  const char* const reductions[] = {"barrier", "atomic", "kernel"};
  for (const int lag : {0, 1, 2, 3})
    for (const int stages : {lag + 2, lag + 3}) {
      const char* const reduction = reductions[(lag + stages) % 3];
      std::string text = sliced;
      const auto set = [&](const std::string& name, const std::string& value) {
        const std::size_t at = text.find(name + "=") + name.size() + 1;
        text.replace(at, text.find_first_of(",", at) - at, value);
      };
      set("lag", std::to_string(lag));
      set("stages", std::to_string(stages));
      set("reduction", reduction);
      SCOPED_TRACE(text);
      const emulator::CheckVerdict verdict =
          verdict_of(sources, instance_of("70x900", "ata", "float"), text, 2);
      EXPECT_TRUE(verdict.clean()) << complaint(verdict);
    }
}

struct Fault {
  const char* name;
  const char* configuration;
  const char* file;
  const char* from;
  const char* to;
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

class MatvecFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(MatvecFaults, AreFound) {
  const Fault& fault = GetParam();
  const ChangedSources sources(fault.file, fault.from, fault.to);
  const emulator::CheckVerdict verdict =
      verdict_of(sources, instance_of("61x403", "ata", "float"), fault.configuration, 2);
  EXPECT_EQ(verdict.not_emulated, "");
  EXPECT_FALSE(verdict.findings.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Planted, MatvecFaults,
    ::testing::Values(
        Fault{"row_guard", fused, "matvec/strip.cuh", "exists ? strip.left : 0", "strip.left"},
        Fault{"row_guard_registers", registers, "matvec/strip.cuh", "row + r < strip.rows ? strip.left : 0",
              "strip.left"},
        Fault{"column_guard", two_pass, "matvec/strip.cuh", "p * stride + i < left ?", "true ?"},
        Fault{"lost_lane", registers, "matvec/march.cuh", "distance > 0; distance /= 2",
              "distance > 1; distance /= 2"},
        Fault{"lost_part", fused, "matvec/sums.cuh", "for (int y = 1;", "for (int y = 2;"},
        Fault{"lost_strip", fused, "matvec/sums.cuh", "for (int k = part; k < count;",
              "for (int k = part; k < count - 1;"},
        Fault{"early_wait", fused, "matvec/march.cuh", "wait_async<stages - 1>()", "wait_async<stages>()"},
        Fault{"turn", registers, "matvec/march.cuh", "add_threads(sums, number & 1)", "add_threads(sums, 0)"},
        Fault{"not_cleared", two_pass, "matvec/sums_kernels.cuh", "if (i < n)", "if (i < n - 1)"},
        Fault{"wrong_tag", sliced, "matvec/sliced.cuh", "!= expected", "== expected + 1"},
        Fault{"few_slots", sliced, "matvec/sliced.cuh", "power_of_two_from(2 * lag + 2)", "1"},
        Fault{"early_wait_sliced", sliced, "matvec/sliced.cuh", "stages - 1 - lag", "stages - lag"},
        Fault{"no_barrier", cooperative, "matvec/cooperative.cu", "grid_barrier(counter);", ";"},
        Fault{"no_second_barrier", cooperative, "matvec/cooperative.cu",
              "grid_barrier(counter);\n  }\n  march<Product::t", "}\n  march<Product::t"},
        Fault{"no_barrier_of_strips", cooperative, "matvec/cooperative.cu",
              "grid_barrier(counter);\n    reduce<threads / 32>(z_sums", "reduce<threads / 32>(z_sums"},
        Fault{"no_barrier_of_slices", sliced_barrier, "matvec/sliced.cu", "grid_barrier(counter);", ";"},
        Fault{"words_reused", sliced_barrier, "matvec/sums.cuh",
              "if (first + blocks * 32LL < n) __syncthreads();", ""}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace tune::kernels
