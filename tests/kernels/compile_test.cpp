// SPDX-License-Identifier: Apache-2.0
// A sample of configurations that has every value of every parameter compiles for real architectures.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "kernels/sources.hpp"
#include "kernels/stencil/problem.hpp"
#include "tests/kernels/stencil_cases.hpp"
#include "tuner/core/architectures.hpp"
#include "tuner/core/compile_pool.hpp"
#include "tuner/core/parallel.hpp"
#include "tuner/cuda/available.hpp"

namespace tune::kernels {
namespace {

struct Sampled {
  Instance instance;
  Configuration configuration;

  /// Every value it has, the settings' too: `vector=4`, `radius=3`.
  std::set<std::string> values() const {
    std::set<std::string> all;
    for (const auto& [name, value] : configuration.entries()) all.insert(name + "=" + value.to_string());
    for (const auto& [name, value] : instance.settings) all.insert(name + "=" + value.to_string());
    return all;
  }
};

/// Values of all parameters and settings.
std::set<std::string> all_values(const Problem& problem) {
  std::set<std::string> all;
  for (const testing::StencilCase& stencil : testing::cases_of_radius(1)) {
    const search::SpaceDefinition definition =
        problem.space(testing::stencil_instance(stencil, 512, 512, 512), architecture_facts("sm_90"));
    for (const search::Parameter& parameter : definition.parameters)
      for (const Value& value : parameter.values) all.insert(parameter.name + "=" + value.to_string());
  }
  for (const SettingInfo& setting : problem.info().settings)
    for (const Value& value : setting.values) all.insert(setting.name + "=" + value.to_string());
  return all;
}

/// Random configurations; those that bring no value that is missing are left out, but for every 32nd.
std::vector<Sampled> covering_sample(const Problem& problem, const std::string& architecture,
                                     std::uint64_t seed) {
  std::vector<Sampled> sample;
  std::set<std::string> seen;
  std::uint64_t drawn = 0;
  for (const testing::StencilCase& stencil : testing::all_cases()) {
    const Instance instance = testing::stencil_instance(stencil, 512, 512, 512);
    const search::SearchSpace space = testing::stencil_space_on(problem, instance, architecture);
    for (const Configuration& configuration : testing::sample_of(space, 24, ++seed)) {
      const Sampled next{instance, configuration};
      const std::size_t before = seen.size();
      seen.merge(next.values());
      if (seen.size() > before || ++drawn % 32 == 0) sample.push_back(next);
    }
  }
  EXPECT_EQ(seen, all_values(problem)) << "the sample misses values";
  return sample;
}

class StencilCompiles : public ::testing::TestWithParam<const char*> {};

TEST_P(StencilCompiles, ForTheArchitecture) {
  std::string why;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler(GetParam(), &why);
  if (!compiler) GTEST_SKIP() << why;
  const auto problem = make_stencil3d();
  const EmbeddedSources sources;
  const std::vector<Sampled> sample = covering_sample(*problem, GetParam(), 7);
  CompilePool pool(*compiler, host_threads());
  std::vector<std::future<Result<Binary>>> compiling;
  for (const Sampled& next : sample)
    compiling.push_back(pool.submit(problem->plan(next.instance, next.configuration, sources)->compile));
  int spilled = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    SCOPED_TRACE(sample[i].instance.key() + ": " + sample[i].configuration.to_string());
    const Result<Binary> binary = compiling[i].get();
    ASSERT_TRUE(binary) << binary.error().detail;
    const KernelResources& resources = binary->resources.at("stencil3d");
    EXPECT_GT(resources.registers, 0);
    EXPECT_LE(resources.registers, 255);
    EXPECT_EQ(resources.static_shared_memory, 0) << "shared memory is dynamic";
    if (resources.spill_store_bytes > 0) {
      ++spilled;
      EXPECT_GT(resources.local_bytes, 0);
    }
  }
  RecordProperty("compiled", static_cast<int>(sample.size()));
  RecordProperty("spilled", spilled);
  std::printf("%s: %zu configurations compiled, %d spill registers\n", GetParam(), sample.size(), spilled);
}

INSTANTIATE_TEST_SUITE_P(Architectures, StencilCompiles, ::testing::Values("sm_80", "sm_90", "sm_120"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace tune::kernels
