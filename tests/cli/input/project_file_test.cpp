// SPDX-License-Identifier: Apache-2.0
// Options in a project file, tune.toml.
#include "cli/input/project_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/sandbox.hpp"
#include "tests/support/without_privileges.hpp"

namespace tune::testing {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// A sandbox whose folder is the current one.
class ProjectFile : public ::testing::Test {
 protected:
  ProjectFile() : before_(fs::current_path()) { fs::current_path(sandbox_ / ""); }
  ~ProjectFile() override { fs::current_path(before_); }

  void write(const std::string& text) const { written(sandbox_, "tune.toml", text); }
  Json planned(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--dry-run", "--format", "json"});
    return Json::parse(done(sandbox_, arguments).out);
  }

  Sandbox sandbox_;
  fs::path before_;
};

constexpr const char* example = R"(problem = "stencil3d"
[run]
size = "64x64x64"
device = "replay"
budget-evals = 7
set = {radius = 1, type = "float"}
fresh = true
quiet = false
["db export"]
as = "t4"
)";

TEST_F(ProjectFile, SetsOptionsWhereTheCommandLineHasNone) {
  write(example);
  const Json plan = planned({"run"});
  EXPECT_EQ(plan["works"][0]["budget_evaluations"], 7);
  EXPECT_TRUE(has(plan["works"][0]["work"], "stencil3d 64x64x64"));
  EXPECT_EQ(plan["project_file"], "tune.toml");
  const auto& words = plan["project_options"];
  EXPECT_EQ(words, Json({"--problem", "stencil3d", "--size", "64x64x64", "--set", "radius=1,type=float",
                         "--device", "replay", "--budget-evals", "7", "--fresh"}));
  EXPECT_EQ(planned({"run", "--budget-evals", "3"})["works"][0]["budget_evaluations"], 3) << "the line wins";
  EXPECT_EQ(planned({"-p", "stencil3d"})["works"][0]["budget_evaluations"], 7) << "also without 'run'";
  EXPECT_TRUE(
      has(done(sandbox_, {"run", "--dry-run"}).out, "options     from tune.toml: --problem stencil3d"));
}

TEST_F(ProjectFile, RunsAreStoredWithItsOptions) {
  write(example);
  done(sandbox_, {"run", "--quiet"});
  EXPECT_EQ(Json::parse(done(sandbox_, {"show", "1", "--format", "json"}).out)["command_line"],
            "tune run --quiet --problem stencil3d --size 64x64x64 --set radius=1,type=float --device replay "
            "--budget-evals 7 --fresh");
}

TEST_F(ProjectFile, WhatBelongsToItsProblemDoesNotApplyToAnother) {
  write(example);
  const ProgramResult outcome = sandbox_.tune({"run", "gemm", "--dry-run"});
  EXPECT_FALSE(has(outcome.err, "64x64x64")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "--device replay")) << "the rest does: " << outcome.err;
}

TEST_F(ProjectFile, IsFoundAboveAndItsFilesBesideIt) {
  write(std::string("db = \"here.db\"\n") + example);
  fs::create_directories("a/b");
  fs::current_path("a/b");
  done(sandbox_, {"run", "--quiet"});
  EXPECT_TRUE(fs::exists(sandbox_ / "here.db"));
  EXPECT_EQ(planned({"run"})["project_file"], "../../tune.toml");
  const Json none = planned({"run", "stencil3d", "--no-config-file", "--size", "64x64x64"});
  EXPECT_EQ(none["project_file"], nullptr);
  EXPECT_EQ(none["project_options"], Json::array());
  const std::string other = written(sandbox_, "other.toml", "[run]\nbudget-evals = 2\n");
  EXPECT_EQ(planned({"run", "stencil3d", "--size", "64x64x64", "--config-file",
                     other})["works"][0]["budget_evaluations"],
            2);
  EXPECT_EQ(planned({"run", "stencil3d", "--size", "64x64x64", "--config-file=" + other})["project_file"],
            other);
  expect_refused(sandbox_.tune({"run", "--config-file", "none.toml"}), 2, {"cannot read none.toml"});
  expect_refused(sandbox_.tune({"run", "--config-file"}), 2, {"--config-file needs a value"});
}

TEST_F(ProjectFile, OneOfAnotherUserIsPassedOver) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  write("[run]\n");
  fs::permissions(sandbox_ / "", fs::perms::others_read | fs::perms::others_exec, fs::perm_options::add);
  ASSERT_EQ(chown("tune.toml", 1234, 1234), 0);
  EXPECT_TRUE(cli::find_project_file().has_value()) << "root reads all";
  const WithoutPrivileges nobody;
  EXPECT_FALSE(cli::find_project_file().has_value());
}

TEST_F(ProjectFile, WrongOnesAreRefusedWithTheirLine) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> files = {
      {"[run]\nbudgt-evals = 5\n",
       {"tune.toml:2: ", "'tune run' has no option 'budgt-evals'", "'budget-evals'"}},
      {"\nproblme = 5\n", {"tune.toml:2: ", "no command has the option 'problme'", "'problem'"}},
      {"[rnu]\nsize = \"8\"\n", {"tune.toml:1: ", "'rnu'", "'run'"}},
      {"db = \"a.db\"\n\n[db.export]\nas = \"t4\"\n", {"tune.toml:3: 'db' is an option", "[\"db export\"]"}},
      {"[db.exprot]\nas = \"t4\"\n", {"tune.toml:1: ", "'exprot'"}},
      {"[check]\nsample = 5\nbudget-evals = 3\n", {"tune.toml:3: ", "'tune check' has no option"}},
      {"[run]\n\nbudget-evals = \"five\"\n", {"tune.toml:3: --budget-evals: 'five' is not a whole number"}},
      {"[run]\nfresh = \"yes\"\n", {"tune.toml:2: fresh is true or false"}},
      {"[run]\nsize = 2026-01-31\n", {"tune.toml:2: a value is a text"}},
      {"[run\nsize = 5\n", {"tune.toml:1: "}},
      {"size = \n", {"tune.toml:1: "}},
      {"size = \"a\"\nsize = \"b\"\n", {"tune.toml:2: "}},
      {"size = \"\x80\"\n", {"tune.toml:1: "}},
      {"[run]\nsize = \"64x\"\n", {"tune.toml adds --size 64x"}}};
  for (const auto& [text, words] : files) {
    write(text);
    SCOPED_TRACE(text);
    expect_refused(sandbox_.tune({"run", "stencil3d", "--device", "replay"}), 2, words);
  }
  write("[run]\nbudgt-evals = 5\n");
  done(sandbox_, {"list", "problems", "--no-config-file"});
}

}  // namespace
}  // namespace tune::testing
