// SPDX-License-Identifier: Apache-2.0
// The built program as a process: killed, interrupted, beside another one, on a full disk.
#include "tests/cli/process.hpp"

#include <SQLiteCpp/Database.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "library/run/version.hpp"
#include "tests/cli/recording.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/backends/worker/remote_compiler.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/program.hpp"

namespace tune::testing {
namespace {

using Json = nlohmann::json;

/// Evaluations of runs that last long enough to be killed in them, some time after their start or soon.
constexpr std::size_t long_run = 5000, several = 1500;

/// A sandbox with a recording of many configurations.
class ProcessTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    recording_ = new TemporaryFolder;
    add_recording(recorded(long_run), {.count = long_run, .samples_each = 1});
    add_recording(recorded(several), {.count = several, .samples_each = 1});
  }
  static void TearDownTestSuite() { delete recording_; }
  static std::filesystem::path recorded(std::size_t count) {
    return *recording_ / (std::to_string(count) + ".db");
  }

  std::vector<std::string> whole_run(const std::vector<std::string>& more = {},
                                     std::size_t evaluations = long_run) const {
    std::vector<std::string> all =
        small_run({"--device", "replay:" + recorded(evaluations).string(), "--strategy", "grid"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::int64_t count(const std::string& sql) const {
    SQLite::Database database(sandbox_.database().string(), SQLite::OPEN_READWRITE, 60'000);
    return database.execAndGet(sql).getInt64();
  }

  static TemporaryFolder* recording_;
  Sandbox sandbox_;
};

TemporaryFolder* ProcessTest::recording_ = nullptr;

/// What the last line of progress says was evaluated.
std::int64_t acknowledged(const std::string& err) {
  std::int64_t last = 0;
  const std::regex progress(R"((\d+)/\d+ evaluated)");
  for (std::sregex_iterator at(err.begin(), err.end(), progress), end; at != end; ++at)
    last = std::stoll((*at)[1]);
  return last;
}

constexpr const char* evaluations_of_newest_run =
    "SELECT COUNT(*) FROM run_evaluations WHERE run = (SELECT MAX(id) FROM runs)";

TEST_F(ProcessTest, KilledAtAnyMomentLosesNothingAndGoesOn) {
  std::mt19937 random(20260131);  // NOLINT: the same moments each time, as far as a clock allows
  std::int64_t max = 0;
  for (std::size_t round = 0; round < tune::testing::sampled_count(30); ++round) {
    Process process(sandbox_.database().parent_path(), whole_run({"--fresh"}));
    if (round % 5 != 0) {  // else at any moment of its start
      ASSERT_TRUE(process.wait_for("evaluated"));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 200'000));
    process.send(SIGKILL);
    const ProgramResult outcome = process.wait();
    ASSERT_TRUE(outcome.status == 128 + SIGKILL || outcome.status == 0) << outcome.status << outcome.err;
    if (!std::filesystem::exists(sandbox_.database())) continue;
    ASSERT_TRUE(is_sound(sandbox_.database())) << "round " << round;
    const std::int64_t told = acknowledged(outcome.err);
    if (told == 0) continue;
    ASSERT_GE(count(evaluations_of_newest_run), told) << "round " << round;
    max = std::max(max, told);
  }
  EXPECT_GT(max, 0);
  const std::int64_t before = count("SELECT COUNT(*) FROM evaluations");
  const std::int64_t known = count("SELECT COUNT(DISTINCT configuration_key) FROM evaluations");
  Process last(sandbox_.database().parent_path(), whole_run({"--format", "json"}));
  const ProgramResult outcome = last.wait();
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["end"], "exhausted");
  EXPECT_EQ(count("SELECT COUNT(*) FROM evaluations") - before, std::int64_t{long_run} - known);
  EXPECT_EQ(count("SELECT COUNT(DISTINCT configuration_key) FROM evaluations"), std::int64_t{long_run});
}

/// The configurations that a verbose run says it has stored; a line that was cut is none.
std::vector<std::string> told_as_stored(const std::string& err) {
  std::vector<std::string> keys;
  const std::regex told(R"(stored \d+: [^\n]* \[([^\]\n]*)\]\n)");
  for (std::sregex_iterator at(err.begin(), err.end(), told), end; at != end; ++at) keys.push_back((*at)[1]);
  return keys;
}

// Killed and called again many times, a hundred with --long: what was told as stored is there each time, and
// nothing is ever evaluated twice.
TEST_F(ProcessTest, AHundredKillsLoseNothingAndRepeatNothing) {
  std::mt19937 random(4711);  // NOLINT: the same moments each time, as far as a clock allows
  int killed_at_work = 0;
  int completed = 0;
  std::set<std::string> told;
  const std::size_t rounds = tune::testing::sampled_count(100);
  for (std::size_t round = 0; round < rounds; ++round) {
    Process process(sandbox_.database().parent_path(), whole_run({"--verbose"}, several));
    if (round % 4 != 0) {  // else at any moment of its start
      ASSERT_TRUE(process.wait_for("stored"));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    process.send(SIGKILL);
    const ProgramResult outcome = process.wait();
    ASSERT_TRUE(outcome.status == 128 + SIGKILL || outcome.status == 0) << outcome.status << outcome.err;
    const std::vector<std::string> stored = told_as_stored(outcome.err);
    if (outcome.status != 0 && !stored.empty()) ++killed_at_work;
    if (!std::filesystem::exists(sandbox_.database())) continue;
    ASSERT_TRUE(is_sound(sandbox_.database())) << "round " << round;
    for (const std::string& key : stored) ASSERT_TRUE(told.insert(key).second) << "evaluated twice: " << key;
    SQLite::Database database(sandbox_.database().string(), SQLite::OPEN_READWRITE, 60'000);
    std::set<std::string> there;
    SQLite::Statement keys(database, "SELECT configuration_key FROM evaluations");
    while (keys.executeStep())
      ASSERT_TRUE(there.insert(keys.getColumn(0).getString()).second)
          << "round " << round << ": stored twice";
    for (const std::string& key : told)
      ASSERT_TRUE(there.contains(key)) << "round " << round << ": lost " << key;
    // One that was stored while the program died was not told any more; it must not come again either.
    told = there;
    if (there.size() < several) continue;
    ++completed;
    told.clear();
    for (const char* suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(sandbox_.database().string() + suffix);
  }
  EXPECT_GE(killed_at_work, static_cast<int>(rounds / 2));
  std::printf("killed at work %d times, %d whole spaces\n", killed_at_work, completed);
}

TEST_F(ProcessTest, InterruptedEndsWithItsSummaryAndGoesOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Process process(sandbox_.database().parent_path(), whole_run({"--fresh"}));
    ASSERT_TRUE(process.wait_for("evaluated"));
    process.send(signal);
    const ProgramResult outcome = process.wait();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_NE(outcome.out.find("interrupted; the same call continues from here"), std::string::npos)
        << outcome.out;
    EXPECT_EQ(outcome.err.find("tune: "), std::string::npos) << outcome.err;
    EXPECT_EQ(
        count(
            "SELECT COUNT(*) FROM runs WHERE end_reason = 'interrupted' AND id = (SELECT MAX(id) FROM runs)"),
        1);
  }
  const std::int64_t stored = count("SELECT COUNT(*) FROM evaluations");
  const std::int64_t known = count("SELECT COUNT(DISTINCT configuration_key) FROM evaluations");
  EXPECT_LT(known, std::int64_t{long_run});
  Process again(sandbox_.database().parent_path(), whole_run());
  const ProgramResult outcome = again.wait();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("known from the database"), std::string::npos) << outcome.out;
  EXPECT_EQ(count("SELECT COUNT(*) FROM evaluations") - stored, std::int64_t{long_run} - known);
}

TEST_F(ProcessTest, ACheckThatIsInterruptedSaysSo) {
  if (!cuda::make_nvrtc_compiler("sm_90", nullptr)) GTEST_SKIP() << "no NVRTC";
  Process process(sandbox_.database().parent_path(),
                  {"check", "stencil3d", "--arch", "sm_90", "--sample", "3000"});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const auto sent = std::chrono::steady_clock::now();
  process.send(SIGINT);
  const ProgramResult outcome = process.wait();
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_NE(outcome.out.find("interrupted; compiled for sm_90"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(" of 3000 configurations, 0 failed"), std::string::npos) << outcome.out;
  EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(2)) << "it waited for a compile";
}

TEST_F(ProcessTest, AReferenceOnTheHostDoesNotHoldAnInterruptedCheck) {
  // The reference of this size takes some seconds.
  Process process(sandbox_.database().parent_path(),
                  {"check", "gemm", "--size", "4096x4096x4096", "--device", "emulator", "--sample", "1"});
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const auto sent = std::chrono::steady_clock::now();
  process.send(SIGTERM);
  const ProgramResult outcome = process.wait();
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_NE(outcome.out.find("interrupted; emulated on the CPU"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(": 0 of 1 configuration, 0 failed"), std::string::npos) << outcome.out;
  EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(2))
      << "it waited for the reference";
}

TEST_F(ProcessTest, TwoAtOnceLoseNothing) {
  Process one(sandbox_.database().parent_path(), whole_run({"--format", "json"}));
  Process two(sandbox_.database().parent_path(), whole_run({"--format", "json", "--fresh"}));
  for (Process* process : {&one, &two}) {
    const ProgramResult outcome = process->wait();
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["end"], "exhausted");
  }
  EXPECT_EQ(count("SELECT COUNT(*) FROM run_evaluations"), std::int64_t{2 * long_run});
  EXPECT_EQ(count("SELECT COUNT(DISTINCT configuration_key) FROM evaluations"), std::int64_t{long_run});
  EXPECT_TRUE(is_sound(sandbox_.database()));
}

TEST_F(ProcessTest, AFullDiskIsOneClearLine) {
  const std::vector<std::string> run =
      small_run({"--device", "replay:" + sandbox_.recording().string(), "--strategy", "grid", "--quiet"});
  for (const std::size_t room : {8'192U, 100'000U, 200'000U, 300'000U}) {
    SCOPED_TRACE(room);
    Process process(sandbox_.database().parent_path(), run, room);
    expect_refused(process.wait(), 1, {"results.db", "room"});
    if (std::filesystem::exists(sandbox_.database())) {
      ASSERT_TRUE(is_sound(sandbox_.database()));
    }
  }
  const std::int64_t before = count("SELECT COUNT(*) FROM evaluations");
  EXPECT_GT(before, 0);
  Process again(sandbox_.database().parent_path(), run);
  EXPECT_EQ(again.wait().status, 0);
  EXPECT_EQ(count("SELECT COUNT(*) FROM evaluations"), 600) << "what was stored was not kept, or not used";
}

TEST_F(ProcessTest, AFullDiskDoesNotStopReading) {
  ASSERT_EQ(sandbox_.tune(small_run({"--device", "replay", "--quiet"})).status, 0);
  for (const char* command : {"show", "report", "list"}) {
    Process process(sandbox_.database().parent_path(), {command}, 8'192);
    const ProgramResult outcome = process.wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out, "");
  }
}

TEST_F(ProcessTest, AnOutputThatCannotBeWrittenIsSaid) {
  for (const std::string command : {"help", "list", "run"}) {
    const std::string call =
        command == "run" ? "run stencil3d --size 64x64x64 --quiet --device replay" : command;
    const std::string error = (sandbox_ / "full").string();
    const int status =
        std::system((std::string(TUNE_PROGRAM) + " " + call + " > /dev/full 2> " + error).c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_EQ(read_file(error), "tune: the output could not be written: check the free disk space\n");
  }
}

/// What the first three descriptors of a process are.
std::vector<std::string> standard_descriptors(pid_t process) {
  std::vector<std::string> all;
  for (const char* number : {"0", "1", "2"}) {
    std::error_code ignored;
    all.push_back(std::filesystem::read_symlink(
                      "/proc/" + std::to_string(process) + "/fd/" + std::string(number), ignored)
                      .string());
  }
  return all;
}

/// The processes that this one has started, once there are some; none where it ends without.
std::vector<pid_t> workers_of(pid_t process) {
  for (int i = 0; i < 1000; ++i) {
    const std::string number = std::to_string(process);
    std::istringstream children(read_file("/proc/" + number + "/task/" + number + "/children"));
    const std::vector<pid_t> all{std::istream_iterator<pid_t>(children), {}};
    if (!all.empty() || waitpid(process, nullptr, WNOHANG) != 0) return all;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return {};
}

// Else the socket of a worker gets the number of standard error: what is printed there is sent to the worker,
// and workers inherit it, so that they do not notice when the program is killed.
TEST_F(ProcessTest, ClosedDescriptorsAreNotTakenByFiles) {
  if (!cuda::make_nvrtc_compiler("sm_90", nullptr)) GTEST_SKIP() << "no NVRTC";
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    close(STDERR_FILENO);
    execl(TUNE_PROGRAM, TUNE_PROGRAM, "check", "stencil3d", "--arch", "sm_90", "--sample", "3000", nullptr);
    _exit(98);
  }
  const std::vector<pid_t> workers = workers_of(child);
  EXPECT_FALSE(workers.empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // from fork to exec
  for (const pid_t worker : workers)
    for (const std::string& descriptor : standard_descriptors(worker))
      EXPECT_FALSE(descriptor.starts_with("socket:")) << descriptor;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);

  // Closed output is an error, and an export does not hold what was to be printed.
  add_recording(sandbox_.database(), {.count = 20});
  const std::string file = (sandbox_ / "out.t4.json").string(), error = (sandbox_ / "error").string();
  const int status = std::system((std::string(TUNE_PROGRAM) + " db export --out " + file + " --db " +
                                  sandbox_.database().string() + " 2> " + error + " <&- >&-")
                                     .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_TRUE(has(read_file(error), "tune: the output could not be written: check the free disk space\n"));
  EXPECT_TRUE(Json::accept(read_file(file)));
}

/// Which program serves as the worker of the built one.
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
  const std::filesystem::path copy = sandbox_ / "mine";
  std::filesystem::copy_file(TUNE_PROGRAM, copy);
  written(sandbox_, "tune", "#!/bin/sh\nexit 3\n");
  std::filesystem::permissions(sandbox_ / "tune", std::filesystem::perms::owner_all);
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
