// SPDX-License-Identifier: Apache-2.0
// The definitions of examples/programs, run as a user does, for a few configurations each.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/sandbox.hpp"
#include "tuner/base/program.hpp"

namespace tune::testing {
namespace {

using Ordered = nlohmann::ordered_json;

class ProgramExamples : public ::testing::Test {
 protected:
  ProgramExamples() { std::filesystem::copy(TUNE_SOURCE_DIR "/examples/programs", sandbox_ / "programs"); }
  Ordered run(const std::string& name, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {
        "run", (sandbox_ / "programs" / name).string(), "--strategy", "grid", "--samples", "1:1", "--format",
        "json"};
    words.insert(words.end(), more.begin(), more.end());
    return Ordered::parse(done(sandbox_, words).out, nullptr, false);
  }

  Sandbox sandbox_;
};

TEST_F(ProgramExamples, ThreadsAndScheduleOfOpenMp) {
  const Ordered result = run("openmp.json", {"--where", "threads == 1 and chunk == 16", "--finalists", "0"});
  EXPECT_EQ(result["measured"], 3) << "three schedules";
  EXPECT_GT(result["best"]["metrics"]["core_seconds"], 0);
}

// More bytes take less time: the level with the fewest is on the front.
TEST_F(ProgramExamples, AScriptInPythonHasAFront) {
  if (find_program("python3").empty()) GTEST_SKIP() << "there is no python3";
  const Ordered result =
      run("python.json", {"--where", "chunk != 64 and level in (1, 9)", "--finalists", "0"});
  EXPECT_EQ(result["objective"], "pareto:time,min:bytes");
  EXPECT_EQ(result["measured"], 4);
  ASSERT_GE(result["front"].size(), 1);
  EXPECT_EQ(result["front"].back()["configuration"], (Ordered{{"level", 9}, {"chunk", 1024}}));
}

TEST_F(ProgramExamples, RanksOfMpi) {
  if (find_program("mpirun").empty() || find_program("mpicc").empty())
    GTEST_SKIP() << "there is no mpirun with mpicc";
  for (const char* const allowed : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"})
    sandbox_.set_environment(allowed, "1");
  const Ordered result = run("mpi.json", {"--where", "ranks == 4", "--finalists", "0"});
  EXPECT_EQ(result["measured"], 3) << result;
}

}  // namespace
}  // namespace tune::testing
