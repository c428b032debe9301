// SPDX-License-Identifier: Apache-2.0
// What the program says of itself: pages, manuals, and what shells complete.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/reference/reference_facts.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

using Words = std::vector<std::string>;

/// The candidates for the last word.
Words completed(const Sandbox& sandbox, Words words) {
  words.insert(words.begin(), {"complete", "--"});
  const ProgramResult outcome = sandbox.tune(words);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  Words lines = lines_of(outcome.out);
  std::erase(lines, "");
  return lines;
}

bool offers(const Words& candidates, const std::string& word) {
  return std::ranges::find(candidates, word) != candidates.end();
}

TEST(Reference, ThePageOfTheCommandsIsThatOfTheProgram) {
  const Sandbox sandbox;
  EXPECT_EQ(read_file(std::filesystem::path(TUNE_SOURCE_DIR) / "docs/reference/commands.md"),
            done(sandbox, {"reference", "markdown"}).out)
      << "call: tune reference markdown > docs/reference/commands.md";
}

TEST(Reference, EveryVariableThatTheSourcesReadIsNamed) {
  std::set<std::string> named;
  const std::regex name("[A-Z_]{3,}"), read(R"((?:getenv|environment)\(\"([A-Z_]+)\")");
  for (const cli::Fact& fact : cli::environment_facts()) {
    const std::string text(fact.name);
    for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
      named.insert(at->str());
  }
  named.insert({"HOME", "PATH"});
  std::size_t found = 0;
  for (const char* folder : {"tuner", "kernels", "search", "db", "library", "lookup", "cli", "reports"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(TUNE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = read_file(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), read), end; at != end; ++at, ++found)
        EXPECT_TRUE(named.contains((*at)[1])) << (*at)[1] << " of " << entry.path();
    }
  EXPECT_GT(found, 10U);
}

TEST(Reference, EveryCommandHasAManualPage) {
  const Sandbox sandbox;
  done(sandbox, {"reference", "man", (sandbox / "man").string()});
  std::size_t pages = 0;
  for (const cli::CommandPage& page : cli::command_pages()) {
    std::string name = "tune-" + std::string(page.command->name) + ".1";
    std::ranges::replace(name, ' ', '-');
    const std::string text = read_file(sandbox / "man" / name);
    EXPECT_TRUE(text.starts_with(".TH ")) << name;
    for (const cli::OptionTable::Row& row : page.table.rows())
      EXPECT_NE(text.find("\\-\\-" + std::regex_replace(row.name, std::regex("-"), "\\-")), text.npos)
          << name << ": " << row.name;
    for (const std::string& line : lines_of(text))
      EXPECT_FALSE(line.starts_with("'")) << name << ": " << line;
    ++pages;
  }
  EXPECT_GT(pages, 18U);
  EXPECT_TRUE(has(read_file(sandbox / "man/tune.1"), "TUNE_DB"));
}

/// The words that call a command.
Words call_of(const cli::Command& command) {
  Words words;
  std::istringstream names{std::string(command.name)};
  for (std::string name; names >> name;) words.push_back(name);
  return words;
}

TEST(Reference, EveryCommandNamesThingsAlike) {
  const std::map<std::string, std::string> replaced = {{"limit", "top"},   {"output", "out"},
                                                       {"number", "top"},  {"budget", "budget-evals"},
                                                       {"name-of", "out"}, {"database", "db"}};
  std::size_t with_problem = 0;
  for (const cli::CommandPage& page : cli::command_pages()) {
    const std::string name(page.command->name);
    const std::string words = " " + std::string(page.command->positional) + " ";
    const auto row = [&](const std::string& option) {
      return std::ranges::find(page.table.rows(), option, &cli::OptionTable::Row::name);
    };
    const auto end = page.table.rows().end();
    for (const cli::OptionTable::Row& one : page.table.rows())
      EXPECT_FALSE(replaced.contains(one.name)) << name << ": --" << one.name;
    ASSERT_NE(row("format"), end) << name;
    EXPECT_TRUE(offers(row("format")->words, "json")) << name;
    // Words may be files, or what is compared.
    if (row("problem") == end || words == " file " || words == " of ") continue;
    EXPECT_TRUE(has(words, " problem ")) << name << " takes no problem without --problem";
    ++with_problem;
  }
  EXPECT_GT(with_problem, 9U);
}

TEST(Reference, EveryCommandReadsADeviceAlike) {
  const Sandbox sandbox;
  done(sandbox, small_run({"--device", "replay", "--budget-evals", "3"}));
  std::size_t devices = 0;
  for (const cli::CommandPage& page : cli::command_pages()) {
    const auto& rows = page.table.rows();
    if (std::ranges::count(rows, "device", &cli::OptionTable::Row::name) == 0) continue;
    const std::string name(page.command->name);
    if (name == "db import") continue;  // gives a file's results a device
    Words call = call_of(*page.command);
    if (name == "list") call.emplace_back("runs");
    call.emplace_back("stencil3d");
    if (name == "db export") call.insert(call.end(), {"-o", (sandbox / "new.db").string()});
    for (const auto& [device, words] : std::map<std::string, Words>{{"replay:", {"replay:FILE"}},
                                                                    {"cuda:", {"cuda:0"}},
                                                                    {"0,1", {"one GPU"}},
                                                                    {"all", {"one GPU"}},
                                                                    {"cuda:7", {"there is no device 7"}}}) {
      Words all = call;
      all.insert(all.end(), {"-d", device});
      if (name == "run" && words == Words{"one GPU"}) continue;  // Devices.SeveralShareARun...
      SCOPED_TRACE(name + " " + device);
      expect_refused(sandbox.tune(all), device == "cuda:7" ? 4 : 2, words);
    }
    ++devices;
  }
  EXPECT_GT(devices, 6U);
}

TEST(Reference, ShortOptionsAndPartsOfNames) {
  const Sandbox sandbox;
  const ProgramResult run =
      done(sandbox, {"-p", "stencil3d", "-s", "64x64x64", "-d", "replay", "-q", "--budget-evals", "3"});
  EXPECT_TRUE(has(run.out, "stencil3d")) << run.out;
  EXPECT_EQ(done(sandbox, {"list", "runs", "stencil3d", "-n", "1"}).out,
            done(sandbox, {"list", "--what", "runs", "--problem", "stencil3d", "--limit", "1"}).out);
  const std::string device = "Invented";
  EXPECT_TRUE(has(done(sandbox, {"list", "devices", "-d", "invented"}).out, device));
  EXPECT_TRUE(has(done(sandbox, {"best", "stencil3d", "-s", "64x64x64", "-d", "invented"}).out, device));
  expect_refused(sandbox.tune({"list", "runs", "-d", "Invente"}), 3, {"no result of a device 'Invente'"});
  expect_refused(sandbox.tune({"list", "runs", "-d", "nothing"}), 3, {"no result of a device 'nothing'"});
  expect_refused(sandbox.tune({"report", "-d", "replay"}), 2, {"--device replay", "tune list devices"});
  expect_refused(sandbox.tune({"check", "stencil3d", "-d", "replay"}), 2, {"only tunes", "emulator"});
  for (const Words& version : std::vector<Words>{{"version"}, {"-V"}})
    EXPECT_EQ(done(sandbox, version).out, done(sandbox, {"--version"}).out);
}

TEST(Reference, RefusesWhatItDoesNotHave) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"reference", "tcsh"}), 2, {"bash", "zsh", "fish", "markdown"});
  expect_refused(sandbox.tune({"reference"}), 2, {"markdown"});
}

TEST(Completion, OffersWhatCanFollow) {
  const Sandbox sandbox;
  const auto of = [&](Words words) { return completed(sandbox, std::move(words)); };
  EXPECT_EQ(of({"re"}), (Words{"report", "replay"}));
  EXPECT_TRUE(offers(of({""}), "best") && offers(of({""}), "help"));
  EXPECT_EQ(of({"db", "ex"}), (Words{"export"}));
  EXPECT_EQ(of({"help", "che"}), (Words{"check"}));
  EXPECT_EQ(of({"best", "--probl"}), (Words{"--problem"}));
  EXPECT_EQ(of({"best", "--problem", "stencil3"}), (Words{"stencil3d"}));
  EXPECT_EQ(of({"best", "--problem=stencil3"}), (Words{"--problem=stencil3d"}));
  EXPECT_EQ(of({"best", "stencil3"}), (Words{"stencil3d"}));
  EXPECT_EQ(of({"report", "--format", "mark"}), (Words{"markdown"}));
  EXPECT_EQ(of({"--problem", "gemm", "--strategy", "gen"}), (Words{"genetic"}));
  EXPECT_FALSE(offers(of({"run", "--db", "x", "--d"}), "--db")) << "is given once";
  EXPECT_TRUE(offers(of({"run", "--set", "a=1", "--se"}), "--set")) << "may be repeated";
  EXPECT_EQ(of({"report", "--out", ""}), Words()) << "a file follows";
  EXPECT_EQ(of({"nonsense", ""}), Words());
}

TEST(Completion, OffersLettersAndColumns) {
  const Sandbox sandbox;
  const auto of = [&](Words words) { return completed(sandbox, std::move(words)); };
  EXPECT_TRUE(offers(of({"best", "-"}), "-p") && offers(of({"best", "-"}), "--problem"));
  EXPECT_EQ(of({"-p", "stencil3"}), (Words{"stencil3d"}));
  EXPECT_TRUE(offers(of({"run", "-p", "gemm", "-d", ""}), "cuda:0"));
  EXPECT_FALSE(offers(of({"run", "-p", "gemm", "-"}), "--problem")) << "is given by its letter";
  EXPECT_EQ(of({"list", "results", "--columns", "time,of"}), (Words{"time,of_limit"}));
  EXPECT_TRUE(offers(of({"best", "stencil3d", "--columns", "time,bl"}), "time,block_x"));
  EXPECT_FALSE(offers(of({"best", "stencil3d", "--columns", "time,"}), "time,time"));
}

TEST(Completion, KnowsSettingsAndParametersOfTheProblem) {
  const Sandbox sandbox;
  const auto of = [&](Words words) { return completed(sandbox, std::move(words)); };
  EXPECT_EQ(of({"--problem", "stencil3d", "--set", "radius=2,sh"}), (Words{"radius=2,shape="}));
  EXPECT_TRUE(offers(of({"--problem", "stencil3d", "--set", "shape="}), "shape=box"));
  EXPECT_FALSE(offers(of({"--problem", "gemm", "--set", ""}), "shape="));
  EXPECT_TRUE(offers(of({"check", "gemm", "--fix", "va"}), "variant="));
  EXPECT_FALSE(offers(of({"--problem", "stencil3d", "--fix", "variant="}), "variant=temporal"));
  EXPECT_TRUE(
      offers(of({"--problem", "stencil3d", "--set", "steps=10", "--fix", "variant="}), "variant=temporal"));
  EXPECT_EQ(of({"--set", ""}), Words()) << "no problem is named";
  EXPECT_FALSE(of({"--problem", "stencil3d", "--set", "radius=wrong", "--fix", ""}).empty());
}

/// What bash replaces the last word by.
std::string completed_by_bash(const Sandbox& sandbox, const std::string& line) {
  const std::string program = TUNE_PROGRAM;
  const std::string script =
      "eval \"$('" + program + "' reference bash)\"; PATH=" + program.substr(0, program.rfind('/')) +
      ":$PATH; COMP_LINE='" + line +
      "'; COMP_POINT=${#COMP_LINE}; _tune 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const std::filesystem::path file = written(sandbox, "script.bash", script);
  std::string text;
  FILE* const pipe = popen(("bash " + file.string()).c_str(), "r");
  for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  EXPECT_EQ(pipe == nullptr ? -1 : pclose(pipe), 0);
  return text;
}

TEST(Completion, WorksInBash) {
  const Sandbox sandbox;
  EXPECT_EQ(completed_by_bash(sandbox, "tune che"), "check\n");
  EXPECT_EQ(completed_by_bash(sandbox, "tune --problem stencil3d --set radius=2,sh"), "2,shape=\n")
      << "bash keeps what stands before the last '='";
  EXPECT_EQ(completed_by_bash(sandbox, "tune best --problem=stencil3"), "stencil3d\n");
}

}  // namespace
}  // namespace tune::testing
