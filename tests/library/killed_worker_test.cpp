// SPDX-License-Identifier: Apache-2.0
// The process that measures is killed: the real one's code, around a backend that needs no GPU.
#include <gtest/gtest.h>

#include <cstdlib>

#include "library/run/gpu.hpp"
#include "tests/library/killed_workers.hpp"
#include "tests/support/kills.hpp"
#include "tests/support/toy_problem.hpp"

namespace tune::testing {
namespace {

TEST(KilledWorker, CostsNothing) {
  setenv("TUNE_WORKER", TUNE_TEST_WORKER, 1);
  const ToyProblem problem;
  const ToySources sources;
  const auto open = [] { return run::open_device(0, 10, false, ""); };
  const auto space = [](const DeviceProperties&) {
    return toy_space(
        "kind == plain or kind == wrong or kind == overrun or kind == too_big or kind == broken_compile");
  };
  expect_kills_cost_nothing(
      {problem, toy_instance(1000), sources, open, space, std::chrono::milliseconds(40), true},
      kills::device_workers.now());
  unsetenv("TUNE_WORKER");
}

}  // namespace
}  // namespace tune::testing
