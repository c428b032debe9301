// SPDX-License-Identifier: Apache-2.0
// The built program on one database from several processes, killed, and where there is no room.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <thread>
#include <utility>

#include "tests/cli/process.hpp"
#include "tests/cli/recording.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

/// Lines that say that an evaluation is stored; one that was cut counts not.
std::int64_t acknowledged_count(const std::string& err) {
  const std::regex stored(R"(stored \d+: [^\n]*\n)");
  return std::distance(std::sregex_iterator(err.begin(), err.end(), stored), std::sregex_iterator());
}

// Two that search with other seeds and one that is killed in the middle: the file has all that each of them
// said to have stored.
TEST(DbProcess, SeedsInOneFileAndAKillLoseNothing) {
  const Sandbox sandbox;
  const fs::path recorded = sandbox / "many.db";
  add_recording(recorded, {.count = 3000, .samples_each = 2});
  const auto search = [&](int seed) {
    return small_run({"--device", "replay:" + recorded.string(), "--strategy", "random", "--budget-evals",
                      "1000", "--fresh", "--verbose", "--seed", std::to_string(seed)});
  };
  Process one(sandbox.database().parent_path(), search(1));
  Process two(sandbox.database().parent_path(), search(2));
  Process killed(sandbox.database().parent_path(), search(3));
  ASSERT_TRUE(killed.wait_for("stored 50:"));
  killed.send(SIGKILL);
  const ProgramResult outcomes[] = {one.wait(), two.wait(), killed.wait()};
  EXPECT_EQ(outcomes[0].status, 0) << outcomes[0].err;
  EXPECT_EQ(outcomes[1].status, 0) << outcomes[1].err;
  EXPECT_EQ(outcomes[2].status, 128 + SIGKILL) << "it was too quick to be killed";
  EXPECT_TRUE(is_sound(sandbox.database()));
  std::int64_t all = 0;
  for (int i = 0; i < 3; ++i) {
    const std::string run = "(SELECT id FROM runs WHERE seed = '" + std::to_string(i + 1) + "')";
    const std::int64_t there =
        number(sandbox.database(), "SELECT COUNT(*) FROM run_evaluations WHERE run = " + run);
    EXPECT_GE(there, acknowledged_count(outcomes[i].err)) << i;
    EXPECT_LE(there, acknowledged_count(outcomes[i].err) + (i == 2 ? 1 : 0)) << "one was in flight at most";
    EXPECT_EQ(number(sandbox.database(), "SELECT COUNT(*) FROM run_evaluations WHERE run = " + run +
                                             " AND sequence < " + std::to_string(there)),
              there)
        << "the run has a gap";
    all += there;
  }
  EXPECT_EQ(number(sandbox.database(), "SELECT COUNT(*) FROM evaluations"), all);
  EXPECT_EQ(sandbox.tune({"db", "check"}).status, 0) << sandbox.tune({"db", "check"}).out;
}

TEST(DbProcess, AMergeThatIsKilledOrHasNoRoomChangesNothing) {
  const Sandbox sandbox;
  const fs::path source = sandbox / "source.db";
  add_recording(source, {.count = 3000, .samples_each = 10});
  add_recording(sandbox.database(), {.n = 128, .count = 20});
  for (const std::size_t room : {20'000U, 200'000U, 500'000U}) {
    Process full(sandbox.database().parent_path(), {"db", "merge", source.string()}, room);
    expect_refused(full.wait(), 1, {"room"});
    ASSERT_TRUE(is_sound(sandbox.database()));
    EXPECT_EQ(number(sandbox.database(), "SELECT COUNT(*) FROM evaluations"), 20);
  }
  Process killed(sandbox.database().parent_path(), {"db", "merge", source.string()});
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  killed.send(SIGINT);
  const ProgramResult outcome = killed.wait();
  ASSERT_TRUE(is_sound(sandbox.database()));
  if (outcome.status != 0) {
    EXPECT_EQ(number(sandbox.database(), "SELECT COUNT(*) FROM evaluations"), 20);
  }
  ASSERT_EQ(sandbox.tune({"db", "merge", source.string()}).status, 0);
  EXPECT_EQ(number(sandbox.database(), "SELECT COUNT(*) FROM evaluations"), 3020);
}

TEST(DbProcess, CompactingAndExportingWithoutRoomLeaveTheOriginal) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 2000, .samples_each = 10});
  for (const std::size_t room : {20'000U, 200'000U}) {
    Process compact(sandbox.database().parent_path(), {"db", "compact", "--drop-superseded"}, room);
    expect_refused(compact.wait(), 1, {"room"});
    for (const char* ending : {"x.db", "x.t4.json", "x.kt.json.gz"}) {
      const fs::path out = sandbox / ending;
      Process exporting(sandbox.database().parent_path(), {"db", "export", "--out", out.string()}, 20'000);
      const ProgramResult outcome = exporting.wait();
      EXPECT_EQ(outcome.status, 1) << ending;
      EXPECT_NE(outcome.err.find("room"), std::string::npos) << outcome.err;
      EXPECT_FALSE(fs::exists(out));
      EXPECT_FALSE(fs::exists(out.string() + ".part"));
    }
    EXPECT_EQ(number(sandbox.database(), "SELECT COUNT(*) FROM evaluations"), 2000);
    EXPECT_EQ(sandbox.tune({"db", "check"}).status, 0);
  }
}

TEST(DbProcess, ASignalInTheMiddleOfAnExportLeavesNoFile) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 3000, .samples_each = 10});
  const fs::path folder = sandbox / "out";
  fs::create_directory(folder);
  for (const auto& [ending, signal] :
       {std::pair("x.db", SIGINT), std::pair("x.t4.json", SIGTERM), std::pair("x.kt.json.gz", SIGHUP)}) {
    Process exporting(sandbox.database().parent_path(),
                      {"db", "export", "--out", (folder / ending).string()});
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (fs::is_empty(folder) && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    exporting.send(signal);
    EXPECT_EQ(exporting.wait().status, 128 + signal) << ending << ": it was too quick to be ended";
    EXPECT_TRUE(fs::is_empty(folder)) << ending << ": " << fs::directory_iterator(folder)->path();
  }
}

}  // namespace
}  // namespace tune::testing
