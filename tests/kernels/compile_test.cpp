// SPDX-License-Identifier: Apache-2.0
// A sample of configurations that has every value of every parameter compiles for real architectures.
#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <string>
#include <tuple>
#include <vector>

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

  /// Every value it has, the settings' too: `vector=4`, `shape=box`.
  std::set<std::string> values() const {
    std::set<std::string> all;
    for (const auto& [name, value] : configuration.entries()) all.insert(name + "=" + value.to_string());
    for (const auto& [name, value] : instance.settings) all.insert(name + "=" + value.to_string());
    for (const char* setting : {"boundary=held", "coefficients=general"}) {
      const std::string text = setting, name = text.substr(0, text.find('='));
      if (instance.setting_or(name, "none").as_text() == "none") all.insert(text);
    }
    return all;
  }
};

/// Cases of some dimensions: all stars and boxes up to radius 8 and all other shapes.
std::vector<testing::StencilCase> cases_of(int dimensions) {
  std::vector<testing::StencilCase> cases;
  if (dimensions == 3) cases = testing::all_cases();
  for (const testing::StencilCase& stencil : testing::varied_cases())
    if (stencil.dimensions == dimensions) cases.push_back(stencil);
  return cases;
}

/// Values of all parameters and of the settings with a list of values, but for the radius: larger ones take
/// long to compile.
std::set<std::string> all_values(int dimensions) {
  std::set<std::string> all;
  for (const testing::StencilCase& stencil : cases_of(dimensions)) {
    const search::SpaceDefinition definition = testing::stencil_problem(stencil)->space(
        testing::stencil_instance(stencil, 512, 512, 512), architecture_facts("sm_90"));
    for (const search::Parameter& parameter : definition.parameters)
      for (const Value& value : parameter.values) all.insert(parameter.name + "=" + value.to_string());
  }
  const auto problem = dimensions == 2 ? make_stencil2d() : make_stencil3d();
  for (const SettingInfo& setting : problem->info().settings)
    if (setting.name != "radius")
      for (const Value& value : setting.values) all.insert(setting.name + "=" + value.to_string());
  return all;
}

/// Random configurations; those that bring no value that is missing are left out, but for every 64th.
std::vector<Sampled> covering_sample(int dimensions, const std::string& architecture, std::uint64_t seed) {
  std::vector<Sampled> sample;
  const std::set<std::string> wanted = all_values(dimensions);
  std::set<std::string> seen;
  std::uint64_t drawn = 0;
  for (const testing::StencilCase& stencil : cases_of(dimensions)) {
    const auto problem = testing::stencil_problem(stencil);
    const Instance instance = testing::stencil_instance(stencil, 512, 512, 512);
    const search::SearchSpace space = testing::stencil_space_on(*problem, instance, architecture);
    for (const Configuration& configuration : testing::sample_of(space, 48, ++seed)) {
      const Sampled next{instance, configuration};
      const std::size_t before = seen.size();
      for (const std::string& value : next.values())
        if (wanted.contains(value)) seen.insert(value);
      if (seen.size() > before || ++drawn % 64 == 0) sample.push_back(next);
    }
  }
  EXPECT_EQ(seen, wanted) << "the sample misses values";
  return sample;
}

/// Dimensions and architecture.
class StencilCompiles : public ::testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(StencilCompiles, ForTheArchitecture) {
  const auto [dimensions, architecture] = GetParam();
  std::string why;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler(architecture, &why);
  if (!compiler) GTEST_SKIP() << why;
  const auto problem = dimensions == 2 ? make_stencil2d() : make_stencil3d();
  const EmbeddedSources sources;
  const std::vector<Sampled> sample = covering_sample(dimensions, architecture, 7);
  CompilePool pool(*compiler, host_threads());
  std::vector<std::future<Result<Binary>>> compiling;
  for (const Sampled& next : sample)
    compiling.push_back(pool.submit(problem->plan(next.instance, next.configuration, sources)->compile));
  int spilled = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    SCOPED_TRACE(sample[i].instance.key() + ": " + sample[i].configuration.to_string());
    const Result<Binary> binary = compiling[i].get();
    ASSERT_TRUE(binary) << binary.error().detail;
    ASSERT_FALSE(binary->resources.empty());
    for (const auto& [entry, resources] : binary->resources) {
      EXPECT_GT(resources.registers, 0);
      EXPECT_LE(resources.registers, 255);
      EXPECT_EQ(resources.static_shared_memory, 0) << "shared memory is dynamic";
      if (resources.spill_store_bytes > 0) {
        ++spilled;
        EXPECT_GT(resources.local_bytes, 0);
      }
    }
  }
  RecordProperty("compiled", static_cast<int>(sample.size()));
  RecordProperty("spilled", spilled);
  std::printf("%s: %zu configurations compiled, %d spill registers\n", architecture, sample.size(), spilled);
}

INSTANTIATE_TEST_SUITE_P(Architectures, StencilCompiles,
                         ::testing::Combine(::testing::Values(2, 3),
                                            ::testing::Values("sm_80", "sm_90", "sm_120")),
                         [](const auto& tested) {
                           return std::to_string(std::get<0>(tested.param)) + "d_" +
                                  std::get<1>(tested.param);
                         });

}  // namespace
}  // namespace tune::kernels
