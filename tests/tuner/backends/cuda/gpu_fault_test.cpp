// SPDX-License-Identifier: Apache-2.0
// A fault ends the use of the device by the process, so each of these runs in a process of its own.
#include <cstdio>
#include <cstdlib>

#include "tests/tuner/backends/cuda/gpu_fixture.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

class GpuFaultDeathTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

/// Faults at the launch of that number, counted over the life of the module.
constexpr const char* fault = R"(
__device__ int launches;
extern "C" __global__ void fault(float* out, int at) {
  if (++launches >= at) out[1ll << 40] = 1;
  out[0] = 1;
})";

LaunchPlan fault_plan(std::int32_t at, std::size_t launches = 1) {
  auto plan = plan_of(fault, {buffer("out", Layout::dense({64}), BufferRole::output)},
                      launch("fault", {1, 1, 1}, {1, 1, 1}, {BufferArgument{"out"}, ScalarArgument{at}}));
  plan.launches.resize(launches, plan.launches[0]);
  return plan;
}

/// Ends the process with 0 where the failure is a crash for an illegal address and the runner then refuses
/// work.
template<class T>
[[noreturn]] void judge(const Result<T>& result, PreparedPlan& prepared, Runner& runner,
                        const LaunchPlan& plan, const Binary& binary) {
  if (result) std::_Exit(2);
  std::fprintf(stderr, "%s: %s: %s\n", std::string(to_string(result.error().phase)).c_str(),
               result.error().reason.c_str(), result.error().detail.c_str());
  if (result.error().phase != Phase::crash || result.error().reason != "illegal address") std::_Exit(3);
  try {
    (void)prepared.fetch("out");
    std::_Exit(4);
  } catch (const Error&) {
  }
  try {
    (void)runner.prepare(plan, binary);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(0);
  }
  std::_Exit(5);
}

TEST_F(GpuFaultDeathTest, ReportsAFaultOfTheCheckedRun) {
  EXPECT_EXIT(
      {
        const auto plan = fault_plan(1);
        const auto binary = compile(plan);
        const auto prepared = backend_->runner().prepare(plan, binary);
        if (!prepared) std::_Exit(6);
        judge((*prepared)->run_checked({}), **prepared, backend_->runner(), plan, binary);
      },
      ::testing::ExitedWithCode(0), "cannot use device");
}

TEST_F(GpuFaultDeathTest, ReportsAFaultOfAMeasurement) {
  // More launches than the queue holds: later ones are still being enqueued when the fault is noticed.
  constexpr std::int32_t launches = 1500;
  for (const std::int32_t at : {launches + 1, 3 * launches + 1})  // in the warm-up, in the first sample
    EXPECT_EXIT(
        {
          const auto plan = fault_plan(at, launches);
          const auto binary = compile(plan);
          const auto prepared = backend_->runner().prepare(plan, binary);
          if (!prepared || !(*prepared)->run_checked({})) std::_Exit(6);
          judge((*prepared)->measure({}), **prepared, backend_->runner(), plan, binary);
        },
        ::testing::ExitedWithCode(0), "cannot use device");
}

TEST_F(GpuFaultDeathTest, ReportsAFaultOfExecutionsThatAreTimedTogether) {
  for (const std::int32_t at : {4, 20})  // when the graph is first replayed: at once, and within
    EXPECT_EXIT(
        {
          const auto plan = fault_plan(at);
          const auto binary = compile(plan);
          const auto prepared = backend_->runner().prepare(plan, binary);
          if (!prepared || !(*prepared)->run_checked({}) || !(*prepared)->check_memory()) std::_Exit(6);
          judge((*prepared)->measure({}), **prepared, backend_->runner(), plan, binary);
        },
        ::testing::ExitedWithCode(0), "cannot use device");
}

TEST_F(GpuFaultDeathTest, EndsOrderlyAfterAFault) {
  EXPECT_EXIT(
      {
        {
          const auto plan = fault_plan(1);
          const auto prepared = prepare(plan);
          if (!prepared || (*prepared)->run_checked({})) std::_Exit(6);
        }
        backend_.reset();  // destructors after the fault
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tune::cuda
