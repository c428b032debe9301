// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/program.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/stopwatch.hpp"

namespace tune {
namespace {

TEST(Program, TellsStatusAndOutput) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "inner");
  const ProgramResult result =
      run_program({"sh", "-c", "echo out; echo err >&2; echo $TMPDIR $LC_ALL; pwd; exit 3"},
                  {.temporary = folder.path(), .folder = folder / "inner"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "out\nerr\n" + folder.path().string() + " C\n" +
                               std::filesystem::canonical(folder / "inner").string() + "\n");
  EXPECT_FALSE(result.was_stopped || result.took_too_long);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).status, 128 + SIGKILL);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).signal, SIGKILL);
  EXPECT_EQ(run_program({"sh", "-c", "exit 255"}).signal, 0);
  EXPECT_THROW(run_program({"no-such-program-of-mine"}), Error);
  EXPECT_EQ(find_program("no-such-program-of-mine"), "");
}

/// A program that starts another one, which writes its number to the file and would run for a minute.
std::vector<std::string> with_child(const std::filesystem::path& file) {
  return {"sh", "-c", "sh -c 'echo $$ > " + file.string() + "; exec sleep 60 > /dev/null 2>&1'; true"};
}

/// True until the process has ended, also if nobody has asked how.
bool is_alive(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return in >> number >> name >> state && state != "Z";
}

void expect_no_child(const std::filesystem::path& file) {
  pid_t child = 0;
  std::ifstream(file) >> child;
  ASSERT_GT(child, 0);
  const Stopwatch waiting;
  while (is_alive(child) && waiting.seconds() < 10) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(is_alive(child)) << "what the program started runs on";
}

TEST(Program, EndsWithAllThatItStartedWhenItsCallerIsKilled) {
  const testing::TemporaryFolder folder;
  const pid_t caller = fork();
  if (caller == 0) {
    run_program(with_child(folder / "child"), {.seconds = 60});
    _exit(0);
  }
  const Stopwatch waiting;
  const auto started = [&] {
    pid_t child = 0;
    return static_cast<bool>(std::ifstream(folder / "child") >> child);
  };
  while (!started() && waiting.seconds() < 10) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(caller, SIGKILL);
  waitpid(caller, nullptr, 0);
  expect_no_child(folder / "child");
}

TEST(Program, ALimitEndsAllThatItStarted) {
  const testing::TemporaryFolder folder;
  const Stopwatch running;
  const ProgramResult result = run_program(with_child(folder / "child"), {.seconds = 0.3});
  EXPECT_TRUE(result.took_too_long);
  EXPECT_LT(running.seconds(), 30);
  expect_no_child(folder / "child");
}

// A measured program ends with what left its group and its session, and is not waited for.
TEST(Program, EndsWithWhatLeftItsGroup) {
  const testing::TemporaryFolder folder;
  const std::string file = (folder / "child").string();
  const Stopwatch running;
  const ProgramResult result =
      run_program({"sh", "-c",
                   "setsid sh -c 'echo $$ > " + file + "; exec sleep 60' & while [ ! -s " + file +
                       " ]; do sleep 0.01; done; echo end; echo error >&2; echo $NAME"},
                  {.environment = {{"NAME", "a b"}}, .separate_errors = true, .measure = true});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "end\na b\n");
  EXPECT_EQ(result.errors, "error\n");
  EXPECT_LT(running.seconds(), 30);
  EXPECT_GT(result.seconds, 0.005);
  EXPECT_LT(result.seconds, running.seconds());
  EXPECT_GT(result.peak_memory, 1e5);
  expect_no_child(folder / "child");
}

TEST(Program, KeepsTheEndOfLongOutput) {
  const ProgramResult result =
      run_program({"sh", "-c", "yes | head -c 300000; echo end"}, {.output_limit = 1000});
  EXPECT_EQ(result.output.size(), 1000);
  EXPECT_TRUE(result.was_cut && result.output.ends_with("y\nend\n"));
}

TEST(Program, AStopEndsAllThatItStarted) {
  const testing::TemporaryFolder folder;
  const ProgramResult result = run_program(with_child(folder / "child"), {.stop = [&] {
                                             return std::filesystem::exists(folder / "child") &&
                                                    std::filesystem::file_size(folder / "child") > 1;
                                           }});
  EXPECT_TRUE(result.was_stopped);
  expect_no_child(folder / "child");
}

}  // namespace
}  // namespace tune
