// SPDX-License-Identifier: Apache-2.0
// Which program serves as the worker of the built one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "library/run/version.hpp"
#include "tests/cli/sandbox.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/backends/worker/remote_compiler.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/program.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

class Worker : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (!cuda::make_nvrtc_compiler("sm_90", &reason)) GTEST_SKIP() << reason;
  }
  Sandbox sandbox_;
};

// Another `tune` lies beside it.
TEST_F(Worker, ACopyUnderAnotherNameStartsItself) {
  const fs::path copy = sandbox_ / "mine";
  fs::copy_file(TUNE_PROGRAM, copy);
  written(sandbox_, "tune", "#!/bin/sh\nexit 3\n");
  fs::permissions(sandbox_ / "tune", fs::perms::owner_all);
  const auto outcome =
      run_program({copy.string(), "check", "matvec", "--arch", "sm_90", "--sample", "1"}, {.seconds = 100});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

TEST_F(Worker, RefusesAnotherVersion) {
  const auto of_version = [](const std::string& version) {
    return process::WorkerProgram{TUNE_PROGRAM, {"worker", "compiler", "sm_90", version}};
  };
  EXPECT_EQ(process::RemoteCompiler(of_version(run::version())).version().find("NVRTC"), 0U);
  try {
    const process::RemoteCompiler compiler(of_version("0.0.1 (other)"));
    FAIL() << "it serves";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("0.0.1 (other): install both in the same version"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tune::testing
