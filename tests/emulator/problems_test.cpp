// SPDX-License-Identifier: Apache-2.0
// No false alarm: a random sample of every problem of the program, at odd sizes, under all checks of the
// emulator.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/registry.hpp"
#include "kernels/sources.hpp"
#include "search/random.hpp"
#include "search/space/search_space.hpp"
#include "tuner/core/architectures.hpp"
#include "tuner/emulator/problem_jobs.hpp"

namespace tune::emulator {
namespace {

constexpr std::size_t sample = 32;  ///< configurations of a problem
constexpr double largest = 20'000;  ///< items of a check: seconds, not minutes

/// An instance of the problem whose settings are drawn at random, its extents as they are by default.
Instance random_instance(const ProblemInfo& info, search::Random& random) {
  std::vector<std::pair<std::string, Value>> settings;
  for (const SettingInfo& setting : info.settings)
    settings.emplace_back(setting.name, setting.values[random.below(setting.values.size())]);
  return make_instance(info, "", settings);
}

/// The odd sizes of a configuration that are small enough; the smallest where none is.
std::vector<Instance> small_sizes(const Problem& problem, const Instance& instance,
                                  const Configuration& configuration) {
  std::vector<Instance> all = problem.check_instances(instance, configuration);
  const auto items = [&](const Instance& one) { return problem.work(one).items; };
  std::ranges::sort(all, {}, items);
  const auto first_large =
      std::ranges::find_if(all, [&](const Instance& one) { return items(one) > largest; });
  all.erase(std::max(all.begin() + 1, first_large), all.end());
  return all;
}

class ProblemSample : public ::testing::TestWithParam<Flavour> {};

TEST_P(ProblemSample, IsClean) {
  const kernels::EmbeddedSources sources;
  for (const kernels::ProblemEntry& entry : kernels::problems()) {
    const auto problem = entry.make();
    search::Random random(1);
    ProblemJobs jobs(*problem, sources);
    std::vector<std::pair<Instance, Configuration>> chosen;
    while (chosen.size() < sample) {
      const Instance instance = random_instance(problem->info(), random);
      const search::SearchSpace space(problem->space(instance, architecture_facts("sm_90")));
      for (std::size_t i = 0; i < 4; ++i) chosen.emplace_back(instance, space.at(space.sample(random)));
    }
    std::size_t emulated = 0;
    CheckOptions options;
    options.flavour = GetParam();
    check(
        chosen.size(),
        [&](std::size_t number) {
          const auto& [instance, configuration] = chosen[number];
          return jobs.job(configuration, small_sizes(*problem, instance, configuration));
        },
        options,
        [&](std::size_t number, const Verdict& verdict) {
          for (const Finding& finding : verdict.findings)
            ADD_FAILURE() << entry.name << " " << chosen[number].second.to_string() << "\n  "
                          << finding.text();
          emulated += verdict.not_emulated.empty() ? 1 : 0;
          return true;
        });
    EXPECT_EQ(emulated, chosen.size()) << entry.name << ": some could not be emulated";
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, ProblemSample, ::testing::Values(Flavour::sanitize, Flavour::plain),
                         [](const auto& tested) {
                           return tested.param == Flavour::sanitize ? "Sanitize" : "Plain";
                         });

}  // namespace
}  // namespace tune::emulator
