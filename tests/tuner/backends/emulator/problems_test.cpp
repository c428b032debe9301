// SPDX-License-Identifier: Apache-2.0
// No false alarm: a random sample of every problem of the program, at odd sizes, under all checks of the
// emulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "tests/support/sampled.hpp"
#include "tests/tuner/backends/emulator/problem_sample.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::emulator {
namespace {

using testing::random_sample;
using testing::Sampled;
using testing::small_sizes;

/// Configurations of a problem; the plain flavour sees what the other one does, but for the checks of memory.
const std::size_t sample = tune::testing::sampled_count(32);
constexpr std::size_t plain_sample = 8;

class ProblemSample : public ::testing::TestWithParam<Flavour> {};

TEST_P(ProblemSample, IsClean) {
  const kernels::EmbeddedSources sources;
  for (const kernels::ProblemEntry& entry : kernels::gpu_problems()) {
    const auto problem = entry.make();
    ProblemJobs jobs(*problem, sources);
    const std::vector<Sampled> chosen =
        random_sample(*problem, GetParam() == Flavour::plain ? plain_sample : sample, 1, "True", 2);
    std::size_t emulated = 0;
    const auto begin = std::chrono::steady_clock::now();
    CheckOptions options;
    options.flavour = GetParam();
    check(
        chosen.size(),
        [&](std::size_t number) {
          return jobs.job(chosen[number].configuration, small_sizes(*problem, chosen[number]));
        },
        options,
        [&](std::size_t number, const CheckVerdict& verdict) {
          for (const Finding& finding : verdict.findings)
            ADD_FAILURE() << entry.name << " " << chosen[number].configuration.to_string() << "\n  "
                          << finding.text();
          emulated += verdict.not_emulated.empty() ? 1 : 0;
          return true;
        });
    EXPECT_EQ(emulated, chosen.size()) << entry.name << ": some could not be emulated";
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%s: %zu configurations, %.1f a second\n", entry.name.data(), chosen.size(),
                static_cast<double>(chosen.size()) / seconds.count());
  }
}

// What fault_injection does wrong on purpose is reported as what it is.
TEST(ProblemFaults, AreNamed) {
  const std::map<std::string, std::vector<FindingKind>> expected = {
      {"illegal_address", {FindingKind::out_of_bounds}},
      {"hang", {FindingKind::deadlock, FindingKind::hang}},
      {"out_of_bounds", {FindingKind::out_of_bounds}},
      // The last element belongs to another thread, or to this one.
      {"wrong_value",
       {FindingKind::wrong_result, FindingKind::uninitialised_read, FindingKind::race_in_block,
        FindingKind::race_between_blocks}},
      {"out_of_memory", {}},
      {"compile_error", {FindingKind::compile}}};
  const kernels::EmbeddedSources sources;
  const auto problem = kernels::make_problem("fault_injection");
  const Instance instance = make_instance(problem->info(), "", {});
  const search::SearchSpace space(problem->space(instance, architecture_properties("sm_90")));
  std::vector<Sampled> chosen;
  for (search::ConfigurationId id = 0; id < space.size(); ++id)
    if (const Configuration one = space.at(id); expected.contains(one["behaviour"].as_text()))
      if (one["items"].as_int() == 1 || (one["items"].as_int() == 2 && one["behaviour"].as_text() != "hang"))
        chosen.push_back({instance, one});
  ASSERT_EQ(chosen.size(), 2 * expected.size() - 1);
  for (const Flavour flavour : {Flavour::sanitize, Flavour::plain}) {
    ProblemJobs jobs(*problem, sources);
    CheckOptions options;
    options.flavour = flavour;
    options.seconds = 2;
    check(
        chosen.size(),
        [&](std::size_t number) {
          return jobs.job(chosen[number].configuration, small_sizes(*problem, chosen[number]));
        },
        options,
        [&](std::size_t number, const CheckVerdict& verdict) {
          const std::string behaviour = chosen[number].configuration["behaviour"].as_text();
          const std::vector<FindingKind>& kinds = expected.at(behaviour);
          if (kinds.empty()) {
            EXPECT_TRUE(verdict.findings.empty() && verdict.cannot_run) << behaviour;
          } else if (verdict.findings.empty()) {
            ADD_FAILURE() << behaviour << " is missed";
          } else {
            EXPECT_NE(std::ranges::find(kinds, verdict.findings[0].kind), kinds.end())
                << behaviour << ": " << verdict.findings[0].text();
          }
          return true;
        });
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, ProblemSample, ::testing::Values(Flavour::sanitize, Flavour::plain),
                         [](const auto& tested) {
                           return tested.param == Flavour::sanitize ? "Sanitize" : "Plain";
                         });

}  // namespace
}  // namespace tune::emulator
