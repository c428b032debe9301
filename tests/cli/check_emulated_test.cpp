// SPDX-License-Identifier: Apache-2.0
// 'tune check --device emulator' as people and scripts see it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/framework/kernel_files.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

const std::string configuration =
    "variant=streaming,block_x=16,block_y=4,vector=2,cells_y=2,chunk=16,queue=inputs,loader=plain,stages=1,"
    "unroll=1,padded=true,store=plain,min_blocks=1";

std::vector<std::string> check_small(const std::vector<std::string>& more) {
  std::vector<std::string> all = {"check",  "--problem", "stencil3d", "--device",   "emulator",
                                  "--size", "13x11x9",   "--config",  configuration};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Kernel files with one barrier removed.
std::filesystem::path broken_kernels(const Sandbox& sandbox) {
  const std::filesystem::path folder = sandbox / "kernels";
  std::filesystem::create_directories(folder / "stencil");
  std::string text = kernels::EmbeddedSources().text("stencil/streaming_inputs.cuh");
  const std::string barrier = "__syncthreads();  // the plane is complete";
  text.replace(text.find(barrier), 16, "");
  std::ofstream(folder / "stencil/streaming_inputs.cuh") << text;
  return folder;
}

TEST(CheckEmulated, SaysThatNothingIsWrong) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune(check_small({}));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(lines_of(outcome.out).size(), 1U) << outcome.out;
  EXPECT_NE(outcome.out.find("not comparable with a GPU"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 configuration, 0 failed, 0 cannot be emulated"), std::string::npos)
      << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(sandbox.database())) << "an emulated time is no measurement";
}

TEST(CheckEmulated, NamesARaceByItsPlace) {
  const Sandbox sandbox;
  const std::filesystem::path kernels = broken_kernels(sandbox);
  const ProgramResult text = sandbox.tune(check_small({"--kernel-dir", kernels.string()}));
  EXPECT_EQ(text.status, 1);
  for (const char* word : {"race within a block", "kernel stencil_step", "dynamic shared memory", "block (",
                           "thread (", "streaming_", "13x11x9", "loader=plain"})
    EXPECT_NE(text.out.find(word), std::string::npos) << "no '" << word << "' in " << text.out;

  const ProgramResult json =
      sandbox.tune(check_small({"--kernel-dir", kernels.string(), "--format", "json"}));
  EXPECT_EQ(json.status, 1);
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object.at("failed"), 1);
  EXPECT_EQ(object.at("device"), "emulator");
  const auto& result = object.at("results").at(0);
  EXPECT_EQ(result.at("failure").at("reason"), "race within a block");
  const auto& finding = result.at("findings").at(0);
  EXPECT_EQ(finding.at("kind"), "race within a block");
  EXPECT_EQ(finding.at("array"), "dynamic shared memory");
  EXPECT_EQ(finding.at("block").size(), 3U);
  EXPECT_FALSE(finding.at("source").get<std::string>().empty());
}

TEST(CheckEmulated, RefusesWhatDoesNotFitTogether) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"check", "stencil3d", "--plain"}), 2, {"--plain", "--device emulator"});
  expect_refused(sandbox.tune(check_small({"--plain", "--sanitize"})), 2, {"choose one"});
  expect_refused(sandbox.tune({"--problem", "stencil3d", "--device", "emulator"}), 2,
                 {"only checks kernels", "tune check"});
}

TEST(CheckEmulated, NamesTheCureWhereThereIsNoCompiler) {
  Sandbox sandbox;
  sandbox.set_environment("TUNE_EMULATOR_CXX", "no-such-compiler");
  expect_refused(sandbox.tune(check_small({})), 1, {"no-such-compiler", "install g++"});
}

}  // namespace
}  // namespace tune::testing
