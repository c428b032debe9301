// SPDX-License-Identifier: Apache-2.0
// Completion in the shells themselves, where they are installed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/sandbox.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/program.hpp"

namespace tune::testing {
namespace {

class Shells : public ::testing::Test {
 protected:
  Shells() {
    const std::filesystem::path folder = std::filesystem::path(TUNE_PROGRAM).parent_path();
    const char* const path = std::getenv("PATH");
    sandbox_.set_environment("PATH", folder.string() + ":" + (path == nullptr ? "" : path));
  }
  static std::string printed(const std::vector<std::string>& command) {
    const auto result = run_program(command, {.seconds = 60});
    EXPECT_EQ(result.status, 0) << result.output;
    return result.output;
  }
  Sandbox sandbox_;
};

TEST_F(Shells, FishCompletes) {
  if (find_program("fish").empty()) GTEST_SKIP() << "no fish here";
  const auto of = [](const std::string& line) {
    return printed(
        {"fish", "--no-config", "-c", "tune reference fish | source; complete -C " + shell_quoted(line)});
  };
  EXPECT_EQ(of("tune best --probl"), "--problem\n");
  EXPECT_EQ(of("tune best -p stencil"), "stencil2d\nstencil3d\n");
  EXPECT_EQ(of("tune --problem stencil3d --set radius=2,sh"), "radius=2,shape=\n");
  EXPECT_TRUE(has(of("tune best -"), "-p\n"));
}

TEST_F(Shells, ZshCompletes) {
  if (find_program("zsh").empty()) GTEST_SKIP() << "no zsh here";
  const std::string script = std::string(TUNE_SOURCE_DIR) + "/tests/cli/reference/complete.zsh";
  EXPECT_EQ(printed({"zsh", "-f", script, "tune best --probl", "--problem ", "tune best -p stencil3",
                     "stencil3d ", "tune --problem stencil3d --set radius=2,sh", "radius=2,shape="}),
            "");
}

}  // namespace
}  // namespace tune::testing
