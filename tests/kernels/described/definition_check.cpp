// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/described/definition_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "search/space/search_space.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::described::testing {

using namespace emulator;  // NOLINT(google-build-using-namespace)

std::vector<Finding> findings_of(const std::filesystem::path& file, std::size_t max,
                                 const std::vector<std::pair<std::string, search::Value>>& settings) {
  const DescribedProblem problem(read_definition(file));
  const kernels::EmbeddedSources sources;
  const Instance instance = make_instance(problem.info(), "", settings);
  const search::SearchSpace space(problem.space(instance, architecture_properties("sm_90")));
  std::vector<Configuration> configurations;
  for (std::size_t i = 0; i < std::min<std::size_t>(max, space.size()); ++i)
    configurations.push_back(space.at(i * space.size() / std::min<std::size_t>(max, space.size())));
  ProblemJobs jobs(problem, sources);
  std::vector<Finding> findings;
  std::size_t checked = 0;
  check(
      configurations.size(),
      [&](std::size_t number) {
        return jobs.job(configurations[number], problem.check_instances(instance, configurations[number]));
      },
      CheckOptions{},
      [&](std::size_t, const CheckVerdict& verdict) {
        ++checked;
        EXPECT_EQ(verdict.not_emulated, "");
        findings.insert(findings.end(), verdict.findings.begin(), verdict.findings.end());
        return true;
      });
  EXPECT_EQ(checked, configurations.size());
  return findings;
}

}  // namespace tune::described::testing
