// SPDX-License-Identifier: Apache-2.0
// `tune plan`, and the array job of examples/cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "db/read/queries.hpp"
#include "tests/cli/sandbox.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

using ::testing::ElementsAre;

TEST(Plan, CutsWorksIntoJobsOfNeighbours) {
  const Sandbox sandbox;
  const auto plan = [&](const std::string& jobs, const std::string& name) {
    const ProgramResult outcome =
        done(sandbox, {"plan", "stencil3d", "--size", "64x64x64,512x512x512", "--set",
                       "radius=1,2,type=float", "--jobs", jobs, "--out", sandbox / name, "--format", "json"});
    std::vector<std::size_t> counts;
    const auto told = nlohmann::json::parse(outcome.out);
    for (const auto& job : told.at("jobs")) counts.push_back(job["works"].size());
    return counts;
  };
  EXPECT_THAT(plan("3", "plan"), ElementsAre(1, 1, 2));
  EXPECT_THAT(lines_of(read_file(sandbox / "plan/3.works")),
              ElementsAre("stencil3d --size 512x512x512 --set radius=1,type=float",
                          "stencil3d --size 512x512x512 --set radius=2,type=float"));
  EXPECT_THAT(plan("9", "more"), ElementsAre(1, 1, 1, 1));
  // A file of works again.
  done(sandbox, {"plan", "--works", sandbox / "plan/3.works", "--jobs", "1", "--out", sandbox / "again"});
  EXPECT_EQ(read_file(sandbox / "again/1.works"), read_file(sandbox / "plan/3.works"));
}

TEST(Plan, RefusesWhatCannotBeDone) {
  const Sandbox sandbox;
  const std::string folder = sandbox / "plan";
  expect_refused(sandbox.tune({"plan", "stencil3d", "--size", "64x64x64,64", "--out", folder}), 2,
                 {"--size", "3 extents"});
  EXPECT_FALSE(std::filesystem::exists(folder));
  expect_refused(sandbox.tune({"plan", "stencil3d", "--jobs", "0"}), 2, {"--jobs", "'0'"});
  const std::string works = written(sandbox, "works.txt", "stencil3d --size 64x64x64\n");
  expect_refused(sandbox.tune({"plan", "gemm", "--works", works}), 2, {"--works", "leave them out"});
  done(sandbox, {"plan", "--works", works, "--out", folder});
  expect_refused(sandbox.tune({"plan", "--works", works, "--out", folder}), 1, {"another plan", "--out"});
}

// One task is killed and started again, beside the other one; merging gives the runs of both.
TEST(Plan, TasksOfAnArrayJobRunSideBySide) {
  const Sandbox sandbox;
  const std::string folder = sandbox / "plan";
  done(sandbox, {"plan", "stencil3d", "--size", "64x64x64,512x512x512", "--jobs", "2", "--out", folder});
  const std::string task = TUNE_SOURCE_DIR "/examples/cluster/array_job.sh";
  const std::string script = format(
      "cd {}; export BUDGET=1s DEVICE=replay PATH={}:$PATH\n"
      "SLURM_ARRAY_TASK_ID=1 sh {} plan > log.1 2>&1 & first=$!\n"
      "SLURM_ARRAY_TASK_ID=2 sh {} plan > log.2 2>&1 & second=$!\n"
      "until [ -s plan/2.db ]; do kill -0 $second || break; sleep 0.01; done\n"
      "kill -KILL $second; wait $first || exit 1; wait $second\n"
      "SLURM_ARRAY_TASK_ID=2 sh {} plan >> log.2 2>&1",
      (sandbox / "").string(), std::filesystem::path(TUNE_PROGRAM).parent_path().string(), task, task, task);
  EXPECT_EQ(std::system(script.c_str()), 0) << read_file(sandbox / "log.1") << read_file(sandbox / "log.2");
  done(sandbox, {"db", "merge", folder + "/1.db", folder + "/2.db"});
  const db::Database database(sandbox.database(), db::OpenMode::read_only);
  std::set<std::string> ended;
  for (const db::RunSummary& run : db::list_runs(database))
    if (run.end_reason == "budget" || run.end_reason == "exhausted") ended.insert(run.workload.size);
  EXPECT_THAT(ended, ElementsAre("512x512x512", "64x64x64"));
}

}  // namespace
}  // namespace tune::testing
