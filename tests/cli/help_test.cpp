// SPDX-License-Identifier: Apache-2.0
// What a person sees before anything ran.
#include <gtest/gtest.h>

#include <regex>

#include "cli/input/command.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/golden.hpp"

namespace tune::testing {
namespace {

TEST(Help, OverviewIsTheSameHoweverItIsAskedFor) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune({"help"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  expect_golden("cli/help.txt", outcome.out);
  for (const std::vector<std::string>& asked :
       std::vector<std::vector<std::string>>{{}, {"--help"}, {"-h"}, {"help", "help"}, {"help", "--help"}}) {
    EXPECT_EQ(sandbox.tune(asked).out, outcome.out);
    EXPECT_EQ(sandbox.tune(asked).status, 0);
  }
}

TEST(Help, OfEveryCommand) {
  const Sandbox sandbox;
  for (const cli::Command& command : cli::commands()) {
    const std::string name(command.name);
    const ProgramResult outcome = sandbox.tune({"help", name});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    expect_golden("cli/help_" + name + ".txt", outcome.out);
    EXPECT_EQ(sandbox.tune({name, "--help"}).out, outcome.out);
    EXPECT_EQ(sandbox.tune({name, "-h"}).out, outcome.out);
  }
}

TEST(Help, FitsATerminalAndHasNoTrailingSpace) {
  const Sandbox sandbox;
  for (const cli::Command& command : cli::commands()) {
    for (const std::string& line : lines_of(sandbox.tune({"help", std::string(command.name)}).out)) {
      EXPECT_LE(line.size(), 80U) << line;
      EXPECT_FALSE(line.ends_with(" ")) << line;
    }
  }
}

/// Everything that a help text offers must be taken as it stands: at most the work fails, never the command
/// line.
TEST(Help, ExamplesCanBeRead) {
  const Sandbox sandbox;
  for (const cli::Command& command : cli::commands()) {
    for (const std::string& example : lines_of(std::string(command.example))) {
      std::vector<std::string> words;
      const std::regex word(R"('([^']*)'|(\S+))");
      for (std::sregex_iterator at(example.begin(), example.end(), word), end; at != end; ++at)
        words.push_back((*at)[1].matched ? (*at)[1] : (*at)[2]);
      ASSERT_GT(words.size(), 1U) << example;
      if (words[0] != "tune") continue;  // part of another program's call
      words.erase(words.begin());
      for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i] == "--out" || words[i] == "--figures") words[i + 1] = (sandbox / words[i + 1]).string();
        if (words[i] == "--sample") words[i + 1] = "1";  // each may be compiled
      }
      // It would go on for ever.
      if (words[0] == "serve") words.insert(words.end(), {"--db", (sandbox / "none.db").string()});
      const ProgramResult outcome = sandbox.tune(words);
      const bool needs_device =
          has(outcome.err, "there is no device 0") || has(outcome.err, "--device cuda:0 measures");
      const bool lacks_file = has(outcome.err, "there is no such file") ||
                              has(outcome.err, "there is no file '") ||
                              has(outcome.err, "No such file or directory");
      EXPECT_TRUE(outcome.status != 2 || needs_device || lacks_file) << example << ": " << outcome.err;
    }
  }
}

TEST(Help, VersionHasReleaseAndPerhapsRevision) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(std::regex_match(outcome.out, std::regex(R"(tune \d+\.\d+\.\d+( \([0-9a-f]+(-dirty)?\))?\n)")))
      << outcome.out;
}

TEST(Help, SpaceOfAProblem) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune({"space", "stencil3d", "--sample", "2"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find("limits of sm_90"), std::string::npos) << outcome.err;
  std::string head;
  for (const std::string& line : lines_of(outcome.out)) {
    if (line == "Constraints") break;
    head += line + "\n";
  }
  expect_golden("cli/space_head.txt", head);
}

TEST(Help, ListOfProblems) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune({"list", "problems"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  expect_golden("cli/list_problems.txt", outcome.out);
  EXPECT_EQ(sandbox.tune({"list"}).out, outcome.out);
}

}  // namespace
}  // namespace tune::testing
