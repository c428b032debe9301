// SPDX-License-Identifier: Apache-2.0
// Calls of `tune run` with several works.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "db/read/queries.hpp"
#include "tests/cli/process.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

using Json = nlohmann::json;

/// A short call with two works, both of which are recorded.
std::vector<std::string> two_works(const std::vector<std::string>& more = {}) {
  std::vector<std::string> call = {"--problem",      "stencil3d", "--size",     "64x64x64,512x512x512",
                                   "--device",       "replay",    "--strategy", "random",
                                   "--budget-evals", "5",         "--quiet"};
  call.insert(call.end(), more.begin(), more.end());
  return call;
}

std::vector<std::string> sizes_of_runs(const Sandbox& sandbox) {
  const db::Database database(sandbox.database(), db::OpenMode::read_only);
  std::vector<std::string> sizes;
  for (const db::RunSummary& run : db::list_runs(database)) sizes.insert(sizes.begin(), run.workload.size);
  return sizes;
}

TEST(Sweep, IsARunForEachWorkAndOneTable) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune(two_works());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(sizes_of_runs(sandbox), (std::vector<std::string>{"64x64x64", "512x512x512"}));
  EXPECT_TRUE(has(outcome.out, "stencil3d 64x64x64") && has(outcome.out, "stencil3d 512x512x512") &&
              has(outcome.out, "Gcell updates/s") && has(outcome.out, "tune report --problem stencil3d"))
      << outcome.out;
  const ProgramResult json = sandbox.tune(two_works({"--seed", "2", "--format", "json"}));
  const Json works = Json::parse(json.out)["works"];
  ASSERT_EQ(works.size(), 2U);
  EXPECT_EQ(works[1]["size"], "512x512x512");
  EXPECT_GT(works[1]["best"]["seconds"], 0);
}

TEST(Sweep, TakesEveryCombinationOnceInOrder) {
  const Sandbox sandbox;
  const Json plan =
      Json::parse(sandbox
                      .tune({"run", "stencil3d", "--size", "64x64x64,512x512x512,64x64x64", "--set",
                             "radius=1,1,type=float", "--device", "replay", "--dry-run", "--format", "json"})
                      .out);
  ASSERT_EQ(plan["works"].size(), 2U);
  EXPECT_TRUE(has(plan["works"][0]["work"], "64x64x64") && has(plan["works"][1]["work"], "512x512x512"));
  EXPECT_FALSE(std::filesystem::exists(sandbox.database()));
}

// One that cannot be named ends the call before anything runs; one that fails later costs its own row.
TEST(Sweep, AWrongWorkIsToldBeforeAnyRunAndAFailedOneCostsItsRow) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune(two_works({"--set", "radius=1,99"})), 2, {"radius"});
  expect_refused(sandbox.tune({"run", "stencil3d", "--size", "64x64x64,4x4", "--device", "replay"}), 2,
                 {"needs 3 extents"});
  expect_refused(sandbox.tune({"run", "stencil3d", "--size", "64x64x64,", "--device", "replay"}), 2,
                 {"empty part"});
  expect_refused(sandbox.tune(two_works({"--keep-sources", "folder"})), 2, {"--keep-sources", "2"});
  EXPECT_FALSE(std::filesystem::exists(sandbox.database()));
  const ProgramResult outcome = sandbox.tune(two_works({"--set", "type=float,double"}));
  EXPECT_EQ(outcome.status, 2);  // double is not recorded
  EXPECT_EQ(sizes_of_runs(sandbox), (std::vector<std::string>{"64x64x64", "512x512x512"}));
  EXPECT_TRUE(has(outcome.out, "failed: ") && has(outcome.out, "2 works failed: the same call tries again") &&
              has(outcome.out, "the nearest first: tune run stencil3d"))
      << outcome.out;
}

TEST(Sweep, TheSameCallContinuesAtTheWorksThatAreNotFinished) {
  const Sandbox sandbox;
  ASSERT_EQ(sandbox.tune(two_works()).status, 0);
  ASSERT_EQ(sandbox.tune({"rm", "2", "--yes"}).status, 0);  // as if it had been interrupted
  const ProgramResult second = sandbox.tune(two_works());
  EXPECT_EQ(second.status, 0);
  EXPECT_TRUE(has(second.out, "ended before")) << second.out;
  EXPECT_EQ(sizes_of_runs(sandbox), (std::vector<std::string>{"64x64x64", "512x512x512"}));
  const ProgramResult third = sandbox.tune(two_works());  // all are finished: it begins anew
  EXPECT_FALSE(has(third.out, "ended before")) << third.out;
  EXPECT_EQ(sizes_of_runs(sandbox).size(), 4U);
}

TEST(Sweep, WorksAreReadFromAFile) {
  const Sandbox sandbox;
  const std::string file = (sandbox / "works.txt").string();
  const auto call = [&](const std::string& text) {
    std::ofstream(file) << text;
    return sandbox.tune({"run", "--works", file, "--device", "replay", "--dry-run"});
  };
  const ProgramResult plan =
      call("# two\nstencil3d --size 64x64x64\n\n--problem stencil3d -s 512x512x512 # big\n");
  EXPECT_EQ(plan.status, 0) << plan.err;
  EXPECT_TRUE(has(plan.out, "512x512x512") && has(plan.out, "2 works")) << plan.out;
  expect_refused(call("stencil3d\nstencil3d --sise 4\n"), 2, {"works.txt:2: ", "--sise"});
  expect_refused(call("# none\n"), 2, {"names no work"});
  expect_refused(sandbox.tune({"run", "stencil3d", "--works", file}), 2, {"--works", "leave them out"});
  expect_refused(sandbox.tune({"run", "--works", "missing.txt"}), 2, {"missing.txt"});
}

}  // namespace
}  // namespace tune::testing
