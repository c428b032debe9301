// SPDX-License-Identifier: Apache-2.0
// Code of the host between launches, on the emulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tune/tuner.hpp>
#include <vector>

#include "library/tuner/convert.hpp"
#include "library/tuner/problem.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/serialization/archive.hpp"

namespace tune::testing {
namespace {

using ::testing::HasSubstr;

/// Halves x until all are below `limit`; the kernel counts those that are not.
api::Problem halving(const std::function<bool(api::HostArrays&)>& again) {
  api::Problem problem("halving");
  problem.size("n", 100)
      .parameter("BLOCK", {32})
      .inout<float>("x", "n", api::constant(80))
      .scratch<int>("open", 1)
      .scalar<int>("n", "n")
      .kernel(api::Kernel::from_source("__global__ void halve(float* x, int* open, int n) {\n"
                                       "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                                       "  if (i >= n) return;\n  x[i] /= 2;\n"
                                       "  if (x[i] >= 6) atomicAdd(open, 1);\n}\n"),
              "halve")
      .grid("ceil_div(n, BLOCK)")
      .block("BLOCK")
      .repeat_while(again)
      .reference([](api::HostData& data) {
        for (double& value : data.result("x")) value = 5;
      });
  return problem;
}

class HostCode : public ::testing::Test {
 protected:
  std::string outcome(const api::Problem& problem) {
    api::Options options;
    options.device = "emulator";
    options.database = (folder_.path() / "results.db").string();
    const api::Evaluation one = api::Tuner(options).evaluate(problem, {});
    return one.failure ? one.failure->detail : "right";
  }
  TemporaryFolder folder_;
};

TEST_F(HostCode, ReadsAFlagAndGoesBack) {
  const auto prepare = [](api::HostArrays& arrays) { arrays.write<int>("open", 0, {0}); };
  const auto again = [&](api::HostArrays& arrays) {
    const bool more = arrays.read<int>("open") > 0;
    prepare(arrays);
    return more;
  };
  EXPECT_THAT(outcome(halving(again)), HasSubstr("uninitialised read"))
      << "the first round begins with nothing";
  api::Problem problem("steps");
  problem.size("n", 64)
      .parameter("BLOCK", {32})
      .inout<int>("x", "n", api::constant(0))
      .scratch<int>("round", 1)
      .kernel(
          api::Kernel::from_source("__global__ void begin(int* x, int* round) { round[threadIdx.x] = 0; }\n"
                                   "__global__ void add(int* x, int* round) {\n"
                                   "  x[blockIdx.x * BLOCK + threadIdx.x] += *round;\n}\n"),
          "begin")
      .grid(1)
      .block(1)
      .launch("add")
      .grid("n // BLOCK")
      .block("BLOCK")
      .host([](api::HostArrays& arrays) {
        const int round = arrays.read<int>("round");
        arrays.write<int>("round", 0, {round + static_cast<int>(arrays.configuration()["BLOCK"]) / 32});
      })
      .repeat_while([](api::HostArrays& arrays) { return arrays.read<int>("round") < 5; })
      .reference([](api::HostData& data) {
        for (double& value : data.result("x")) value = 0 + 1 + 2 + 3 + 4;
      });
  EXPECT_EQ(outcome(problem), "right");
}

TEST_F(HostCode, WrongUseIsNamed) {
  const auto told = [&](const auto& code) -> std::string {
    try {
      return outcome(halving(code));
    } catch (const api::Error& error) {
      return error.what();
    }
  };
  EXPECT_THAT(told([](api::HostArrays& arrays) { return arrays.read<float>("x", 100) > 0; }),
              HasSubstr("code of the host: elements 100 to 101 of 'x', which has 100"));
  EXPECT_THAT(told([](api::HostArrays& arrays) { return arrays.read<int>("x") > 0; }),
              HasSubstr("the array 'x' is of float, not int32"));
  api::Problem problem("empty");
  EXPECT_THROW(problem.host([](api::HostArrays&) {}), api::Error) << "there is no launch yet";
}

TEST(ReferenceInCode, AsksWhetherItIsStillWanted) {
  bool returned = false;
  const api::Problem problem =
      halving([](api::HostArrays&) { return false; }).reference([&](api::HostData& data) {
        while (!data.stopped()) data.result("x")[0] = 5;
        returned = true;
      });
  const described::DescribedProblem described(api::described(problem.spec()));
  const Instance instance = api::instance_at(described.info(), {});
  const TensorSet inputs = described.inputs(instance, 0);
  const StopScope scope([] { return true; });
  EXPECT_THROW(described.reference(instance, inputs), Stopped)
      << "what it has computed so far does not count";
  EXPECT_TRUE(returned);
}

// A worker has no functions of this program.
TEST_F(HostCode, IsNotSentToAnotherProcess) {
  LaunchPlan plan;
  plan.launches.emplace_back(HostStep{"1", {[](HostAccess&) { return false; }}});
  try {
    process::encode(plan);
    ADD_FAILURE() << "it was sent";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("set Options::in_process"));
  }
}

}  // namespace
}  // namespace tune::testing
