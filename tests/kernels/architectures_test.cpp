// SPDX-License-Identifier: Apache-2.0
// Every architecture of the table has a space for every problem, of which a sample compiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "search/random.hpp"
#include "search/space/search_space.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels {
namespace {

class Architectures : public ::testing::TestWithParam<std::string_view> {};

/// The values by which configurations are told apart here: of parameters whose values are words.
std::set<std::string> words_of(const Configuration& configuration) {
  std::set<std::string> words;
  for (const auto& [name, value] : configuration.entries())
    if (value.to_string().find_first_not_of("0123456789.") != std::string::npos)
      words.insert(name + "=" + value.to_string());
  return words;
}

/// The default configuration, and on old architectures more, until most values have been seen.
std::vector<Configuration> sample_of(const Problem& problem, const Instance& instance,
                                     std::string_view name) {
  const search::SearchSpace space(problem.space(instance, architecture_properties(name)));
  if (!space.default_configuration()) return {};
  std::vector<Configuration> sample = {space.at(*space.default_configuration())};
  if (architecture_properties(name).compute_major >= 8) return sample;
  std::set<std::string> seen = words_of(sample[0]);
  search::Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Configuration one = space.at(space.sample(random));
    const std::size_t before = seen.size();
    seen.merge(words_of(one));
    // Many cells of a thread take long to compile.
    const Value* fused = one.find("fused");
    if (seen.size() > before && (fused == nullptr || fused->as_real() <= 2)) sample.push_back(one);
  }
  return sample;
}

TEST_P(Architectures, HaveASampleThatCompiles) {
  std::string reason;
  const std::unique_ptr<Compiler> compiler = cuda::make_nvrtc_compiler(std::string(GetParam()), &reason);
  if (!compiler) GTEST_SKIP() << reason;
  CompilePool pool(*compiler, host_threads());
  std::vector<std::pair<std::string, std::future<Result<Binary>>>> compiling;
  // A third of the problems for each, in turns; with TUNE_LONG_TESTS all. The oldest differs most: it has
  // all.
  const auto& names = known_architectures();
  const bool has_all =
      architecture_properties(GetParam()).compute_major < 8 || ::tune::testing::runs_all_cases();
  std::size_t turn = static_cast<std::size_t>(std::ranges::find(names, GetParam()) - names.begin());
  for (const ProblemEntry& entry : gpu_problems()) {
    if (entry.name == "fault_injection") continue;  // some of it must not compile
    if (turn++ % 3 != 0 && !has_all) continue;
    const auto problem = entry.make();
    const Instance instance = make_instance(problem->info(), "", {});
    const std::vector<Configuration> sample = sample_of(*problem, instance, GetParam());
    EXPECT_FALSE(sample.empty()) << "no configuration of " << entry.name;
    for (const Configuration& one : sample) {
      const Result<LaunchPlan> plan = problem->plan(instance, one, EmbeddedSources());
      ASSERT_TRUE(plan) << one.to_string();
      compiling.emplace_back(std::string(entry.name) + ": " + one.to_string(), pool.submit(plan->compile));
    }
  }
  for (auto& [name, binary] : compiling) {
    const Result<Binary> made = binary.get();
    EXPECT_TRUE(made) << name << ": " << made.error().reason << ": " << made.error().detail.substr(0, 300);
  }
  std::printf("%s: %zu configurations compiled\n", std::string(GetParam()).c_str(), compiling.size());
}

/// Of the others the tests of each problem compile far more.
std::vector<std::string_view> less_usual_architectures() {
  std::vector<std::string_view> names(known_architectures().begin(), known_architectures().end());
  for (const char* usual : {"sm_80", "sm_90", "sm_120"}) std::erase(names, usual);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Table, Architectures, ::testing::ValuesIn(less_usual_architectures()),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace tune::kernels
