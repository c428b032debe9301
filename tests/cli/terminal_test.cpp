// SPDX-License-Identifier: Apache-2.0
#include "cli/output/terminal.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <sstream>

#include "cli/output/printable_output.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

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
  for (ssize_t count = 0; (count = read(terminal, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(count));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << text;
  return text;
}

TEST(Terminal, NoRowIsWiderThanTheTerminal) {
  const Sandbox sandbox;
  done(sandbox, small_run({"--budget-evals", "5"}));
  for (const unsigned short columns : {static_cast<unsigned short>(40), static_cast<unsigned short>(140)})
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"list", "problems"}, {"list", "runs"}, {"list", "results"}, {"report"}}) {
      const std::string text = on_terminal(arguments, columns);
      EXPECT_NE(text.find("\x1b[2m"), std::string::npos) << "headings are dim";
      for (std::string line : lines_of(text)) {
        std::erase(line, '\r');
        EXPECT_LE(shown_width(line), columns) << line;
      }
    }
  Sandbox plain;
  plain.set_environment("NO_COLOR", "1");
  EXPECT_EQ(on_terminal({"list", "problems"}, 80).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tune::testing
