// SPDX-License-Identifier: Apache-2.0
#include "cli/output/progress.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <sstream>
#include <thread>

#include "cli/output/printable_output.hpp"
#include "cli/output/terminal.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

using cli::ProgressDisplay;

/// What a display shows of a run of 100 evaluations in `seconds`, every third of which fails, after `count`
/// of them.
std::string shown(ProgressDisplay::Mode mode, std::uint64_t count, double seconds) {
  std::ostringstream out;
  {
    ProgressDisplay display(out, mode, 250e-6, 1.3e8, "cell updates/s", Objective::time,
                            [] { return TextStyle{.width = 80}; });
    Progress progress;
    progress.planned = 100;
    for (std::uint64_t i = 1; i <= count; ++i) {
      Evaluation evaluation;
      if (i % 3 == 0) {
        ++progress.failures[Phase::launch];
      } else {
        Measurement measurement;
        measurement.samples = {1e-3 / static_cast<double>(i)};
        evaluation.outcome = measurement;
        progress.best = evaluation;
        ++progress.measured;
      }
      progress.evaluations = i;
      progress.seconds = seconds * static_cast<double>(i) / 100;
      display.on_evaluation(evaluation, progress);
    }
  }
  return out.str();
}

TEST(Progress, OnATerminalIsTwoLinesThatVanish) {
  const std::string text = shown(ProgressDisplay::Mode::live, 100, 1);
  EXPECT_TRUE(text.ends_with("\r\x1b[1A\x1b[J")) << "something is left over: " << text;
  EXPECT_LE(std::ranges::count(text, '\r'), 5) << "redrawn more often than anybody reads";
  EXPECT_NE(text.find("1/100 evaluated"), std::string::npos) << text;
  EXPECT_NE(text.find("\nbest 1 ms  25 % of the limit  130 Gcell updates/s"), std::string::npos) << text;
}

TEST(Progress, SaysWhatIsGoingOn) {
  std::ostringstream out;
  {
    ProgressDisplay display(out, ProgressDisplay::Mode::live, 0, 0, "item", Objective::time,
                            [] { return TextStyle{.width = 80}; });
    display.on_activity(Activity::compiling, 12);
    EXPECT_EQ(out.str(), "compiling 12") << "also before the first evaluation";
  }
  EXPECT_TRUE(out.str().ends_with("\r\x1b[J")) << out.str();
  std::ostringstream plain;
  ProgressDisplay(plain, ProgressDisplay::Mode::plain, 0, 0, "item").on_activity(Activity::measuring, 0);
  EXPECT_EQ(plain.str(), "") << "a file gets no line for it";
}

cli::RunView some_view() {
  return {.evaluations = 34,
          .planned = 60,
          .failed = 3,
          .seconds = 9,
          .seconds_allowed = 12,
          .rate = 3.8,
          .seconds_left = 2,
          .phase = "re-ranking the best 12",
          .best = {"282.8 us", "89 % of the limit", "474.6 Gcell updates/s"},
          .history = {8e-4, 6e-4, 4e-4, 3e-4, 2.828e-4}};
}

TEST(Progress, LinesFitTheTerminal) {
  for (const std::size_t width : {20U, 40U, 80U, 140U})
    for (const std::string& line : cli::live_lines(some_view(), {.width = width, .colours = true})) {
      EXPECT_LT(shown_width(line), width) << line;
      EXPECT_GT(shown_width(line), 0U);
    }
  const auto wide = cli::live_lines(some_view(), {.width = 140});
  EXPECT_EQ(
      wide[0],
      "[##################......]  9.0/12 s  34/60 evaluated  3 failed  re-ranking the best 12  2.0 s left  3.8/s");
  EXPECT_EQ(wide[1], "best 282.8 us  89 % of the limit  474.6 Gcell updates/s  #+:__");
  EXPECT_EQ(cli::live_lines(some_view(), {.width = 40})[1], "best 282.8 us  89 % of the limit");
  EXPECT_EQ(cli::sparkline({4, 2, 1}, 3, true), "\u2588\u2585\u2581");
  EXPECT_EQ(cli::spent_text(65, 300), "1 min 5 s/5 min 0 s");
}

TEST(Progress, ANarrowerTerminalHasBrokenTheLinesThatAreErased) {
  std::ostringstream out;
  std::size_t width = 60;
  cli::LiveLines lines(out, [&] { return TextStyle{.width = width}; });
  lines.draw({std::string(50, 'a'), "b"});
  width = 20;
  lines.draw({"c"});
  EXPECT_EQ(out.str(), std::string(50, 'a') + "\nb\r\x1b[3A\x1b[Jc") << "three rows of a, one of b";
}

TEST(Progress, ShowsTheLastStateWhateverEndsTheRun) {
  const std::string text = shown(ProgressDisplay::Mode::plain, 57, 0.001);
  EXPECT_EQ(lines_of(text).size(), 2U) << "the first, and the last: " << text;
  EXPECT_NE(lines_of(text).back().find("57/100 evaluated, 19 failed"), std::string::npos) << text;
}

TEST(Progress, PlainLinesForTheBestAndEveryTenth) {
  const std::string text = shown(ProgressDisplay::Mode::plain, 100, 1000);
  EXPECT_EQ(text.find_first_of("\r\x1b"), std::string::npos);
  for (const char* tenth : {"10/100", "30/100", "90/100", "100/100"})
    EXPECT_NE(text.find(tenth), std::string::npos) << tenth;
  EXPECT_EQ(text.find("33/100"), std::string::npos) << "a failure that is no tenth";
}

TEST(Progress, QuietIsQuiet) {
  EXPECT_EQ(shown(ProgressDisplay::Mode::quiet, 100, 10), "");
}

// `timeout` sends a signal to its process and to the group.
TEST(Interrupt, ASignalThatComesTwiceAtOnceIsOne) {
  const cli::InterruptGuard guard;
  std::raise(SIGTERM);
  std::raise(SIGTERM);
  EXPECT_TRUE(cli::InterruptGuard::interrupted());
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  EXPECT_EXIT(std::raise(SIGTERM), ::testing::KilledBySignal(SIGTERM), "") << "a person's second one";
}

using Variables = std::map<std::string, std::string>;

cli::Terminal terminal(bool is_terminal, const Variables& variables, std::size_t columns = 120) {
  return cli::terminal_of(
      {.is_terminal = is_terminal, .columns = columns, .lines = 50, .variable = [&](const std::string& name) {
         const auto found = variables.find(name);
         return found == variables.end() ? std::string() : found->second;
       }});
}

TEST(Terminal, IsWhatTheWindowAndTheEnvironmentSay) {
  const TextStyle style = terminal(true, {{"LANG", "en_US.UTF-8"}}).style;
  EXPECT_EQ(style.width, 120U);
  EXPECT_EQ(style.height, 50U);
  EXPECT_TRUE(style.unicode);
  EXPECT_TRUE(style.colours);
  EXPECT_FALSE(terminal(true, {{"LC_ALL", "C"}, {"LANG", "en_US.UTF-8"}}).style.unicode);
  EXPECT_EQ(terminal(true, {{"COLUMNS", "44"}}).style.width, 44U);
  EXPECT_EQ(terminal(true, {{"COLUMNS", "wide"}}).style.width, 120U);
  EXPECT_EQ(terminal(true, {}, 0).style.width, 80U) << "a serial line has no size";
  EXPECT_TRUE(terminal(true, {}).can_rewrite);
  EXPECT_FALSE(terminal(true, {{"TERM", "dumb"}}).can_rewrite);
}

TEST(Terminal, ColoursAreForTerminalsAndWhoAsksForThem) {
  const auto coloured = [](bool is_terminal, const Variables& variables) {
    return terminal(is_terminal, variables).style.colours;
  };
  EXPECT_FALSE(coloured(false, {}));
  EXPECT_TRUE(coloured(false, {{"CLICOLOR_FORCE", "1"}}));
  EXPECT_FALSE(coloured(false, {{"CLICOLOR_FORCE", "0"}}));
  for (const auto& [name, value] : Variables{{"NO_COLOR", "1"}, {"TERM", "dumb"}, {"CLICOLOR", "0"}})
    EXPECT_FALSE(coloured(true, {{name, value}})) << name;
  EXPECT_FALSE(coloured(true, {{"NO_COLOR", "1"}, {"CLICOLOR_FORCE", "1"}}));
  const TextStyle piped = terminal(false, {{"COLUMNS", "44"}, {"LANG", "C.UTF-8"}}).style;
  EXPECT_EQ(piped.width, 0U) << "a pipe has no width";
  EXPECT_FALSE(piped.unicode);
}

TEST(Terminal, GetsOnlyTheColoursOfTheProgram) {
  for (const bool colours : {false, true}) {
    std::ostringstream out;
    {
      const cli::PrintableOutput printable(out, colours);
      out << "\x1b[1mbest\x1b[0m \x1b[2J\x1b]0;x\a\n";
    }
    EXPECT_EQ(out.str(), colours ? "\x1b[1mbest\x1b[0m  [2J ]0;x \n" : " [1mbest [0m  [2J ]0;x \n");
  }
}

TEST(Terminal, TextIsCutByCharactersNotBytes) {
  const TextStyle style{.unicode = true, .colours = true};
  EXPECT_EQ(style.shortened("\u00e4\u00f6\u00fc\u00df", 3), "\u00e4\u00f6\u2026");
  EXPECT_EQ(cut_to(style.bold("abc") + "def", 2), "\x1b[1mab\x1b[0m");
  EXPECT_EQ(cut_to(style.bold("abc") + "def", 4), "\x1b[1mabc\x1b[0md");
  EXPECT_EQ(style.bar(0.5, 3), "\u2588\u258c");
  EXPECT_EQ(TextStyle{}.bar(0.5, 4), "##");
}

/// What the program writes to a terminal of so many columns.
std::string on_terminal(const std::vector<std::string>& arguments, unsigned short columns) {
  int terminal = -1;
  const winsize size = {.ws_row = 30, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  std::vector<char*> words = {const_cast<char*>(TUNE_PROGRAM)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    unsetenv("COLUMNS");
    execv(TUNE_PROGRAM, words.data());
    _exit(127);
  }
  std::string text;
  char part[4096];
  for (ssize_t count = 0; (count = ::read(terminal, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(count));
  ::close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << text;
  return text;
}

TEST(Terminal, NoRowIsWiderThanTheTerminal) {
  Sandbox sandbox;
  done(sandbox, small_run({"--budget-evals", "5"}));
  done(sandbox, small_run({"--budget-evals", "9", "--seed", "2"}));
  const std::string recording = sandbox.recording().string();
  const std::vector<std::pair<std::vector<std::string>, unsigned short>> calls = {
      {{"list", "problems"}, 40},
      {{"list", "runs"}, 40},
      {{"list", "results"}, 40},
      {{"report"}, 80},
      {{"diff", "1", "2"}, 50},
      {{"best", "stencil3d", "-s", "64x64x64", "--top", "3", "--explain"}, 70},
      {{"replay", "--space", recording, "--strategy", "grid", "--repeats", "1"}, 60}};
  for (const auto& [arguments, columns] : calls) {
    const std::string text = on_terminal(arguments, columns);
    EXPECT_NE(text.find("\x1b[2m"), std::string::npos) << "headings are dim";
    for (std::string line : lines_of(text)) {
      std::erase(line, '\r');
      EXPECT_LE(shown_width(line), columns) << line;
    }
  }
  sandbox.set_environment("NO_COLOR", "1");
  EXPECT_EQ(on_terminal({"list", "problems"}, 80).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tune::testing
