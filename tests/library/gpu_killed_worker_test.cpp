// SPDX-License-Identifier: Apache-2.0
// The process that measures on a GPU is killed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/registry.hpp"
#include "library/run/gpu.hpp"
#include "tests/library/killed_workers.hpp"
#include "tuner/backends/cuda/runner/devices.hpp"

namespace tune::testing {
namespace {

TEST(GpuKilledWorker, CostsNothing) {
  std::string failure_reason;
  if (cuda::list_devices(&failure_reason).empty()) GTEST_SKIP() << failure_reason;
  setenv("TUNE_WORKER", TUNE_PROGRAM, 1);
  const std::unique_ptr<Problem> problem = kernels::make_problem("matvec");
  const kernels::EmbeddedSources sources;
  const Instance instance = make_instance(problem->info(), "1024x1024", {});
  const auto open = [] { return run::open_device(0, 10, false, ""); };
  const auto space = [&](const DeviceProperties& device) {
    const search::SearchSpace whole(problem->space(instance, device));
    std::vector<Configuration> some;
    search::Random random(1);
    for (int i = 0; i < 60; ++i) some.push_back(whole.at(whole.sample(random)));
    return search::SearchSpace::of(problem->space(instance, device), some);
  };
  expect_kills_cost_nothing({*problem, instance, sources, open, space, std::chrono::seconds(4), false}, 20);
  unsetenv("TUNE_WORKER");
}

}  // namespace
}  // namespace tune::testing
