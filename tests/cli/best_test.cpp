// SPDX-License-Identifier: Apache-2.0
// What an application's author asks: which configuration, and why that one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/input/stored.hpp"
#include "reports/header.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/golden.hpp"

namespace tune::testing {
namespace {

using Json = nlohmann::json;

std::vector<std::string> best(const std::vector<std::string>& more) {
  std::vector<std::string> all = {"best", "--problem", "stencil3d", "--size", "64x64x64"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Json best_json(const Sandbox& sandbox, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = best(more);
  all.insert(all.end(), {"--format", "json"});
  const ProgramResult outcome = sandbox.tune(all);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return Json::parse(outcome.out);
}

TEST(Best, InEveryFormat) {
  const Sandbox sandbox;
  for (const std::string format : {"text", "json", "flags", "header"}) {
    const ProgramResult outcome = sandbox.tune(best({"--format", format}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    expect_golden("cli/best." + format, sandbox.steady(outcome.out));
  }
  EXPECT_EQ(sandbox.tune({"best", "stencil3d", "--size", "64x64x64"}).out, sandbox.tune(best({})).out);
}

TEST(Best, AHeaderHasTheStepsInTheirOrder) {
  LaunchPlan plan;
  Launch launch;
  launch.grid = {7, 2, 1};
  launch.block = {64, 1, 1};
  plan.launches = {launch, FourierTransform{FourierDirection::forward, "a", "b", {30, 20}}, launch,
                   Copy{{"host"}, {"here", 0, 48}, 40, 9}};
  plan.setup = {FourierTransform{FourierDirection::forward, "c", "c", {8}}};
  const std::string text = reports::launch_constants(plan);
  EXPECT_EQ(text.find("inline constexpr unsigned long long fourier_setup_0[1] = {8};"), 0u) << text;
  EXPECT_NE(text.find("grid_0[3] = {7, 2, 1};"), std::string::npos) << text;
  EXPECT_NE(
      text.find("unsigned long long fourier_1[2] = {30, 20};  ///< forward Fourier transform of 'a' to 'b'"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("block_2[3] = {64, 1, 1};"), std::string::npos) << text;
  EXPECT_EQ(text.find("grid_1"), std::string::npos) << text;
  EXPECT_NE(text.find("copy_3[2] = {40, 9};  ///< copy of 'host' to 'here'"), std::string::npos) << text;
}

TEST(Best, ComesFromTheShippedRecordingBeforeAnythingWasTuned) {
  const Sandbox sandbox;
  const Json answer = best_json(sandbox);
  EXPECT_EQ(answer["shipped"], true);
  EXPECT_EQ(answer["match"], "exact");
  EXPECT_EQ(answer["database"], sandbox.recording().string());
  EXPECT_NE(sandbox.tune(best({})).out.find("that ships with tune"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(sandbox.database())) << "a question made a database";
}

TEST(Best, IsNeverAReplayedResult) {
  const Sandbox sandbox;
  ASSERT_EQ(sandbox.tune(small_run({"--strategy", "grid"})).status, 0);
  EXPECT_EQ(best_json(sandbox)["shipped"], true);
  sandbox.remove_recordings();
  expect_refused(
      sandbox.tune(best({})), 3,
      {"no result of stencil3d", "replayed results are never returned", "tune --problem stencil3d"});
}

TEST(Best, PrefersThePersonsOwnAtEqualFit) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 20, .slower_by = 3});
  const Json answer = best_json(sandbox);
  EXPECT_EQ(answer["shipped"], false);
  EXPECT_EQ(answer["database"], sandbox.database().string());
}

TEST(Best, PrefersABetterFitOverThePersonsOwn) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.n = 65, .count = 20, .slower_by = 0.1});
  const Json answer = best_json(sandbox);
  EXPECT_EQ(answer["shipped"], true);
  EXPECT_EQ(answer["recorded_size"], "64x64x64");
}

TEST(Best, AtAnotherSizeSaysSo) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune({"best", "stencil3d", "--size", "72x64x64"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("64x64x64"), std::string::npos) << outcome.out;
  const Json answer =
      Json::parse(sandbox.tune({"best", "stencil3d", "--size", "72x64x64", "--format", "json"}).out);
  EXPECT_EQ(answer["match"], "nearest size");
  EXPECT_EQ(answer["recorded_size"], "64x64x64");
  EXPECT_EQ(answer["size"], "72x64x64");
}

TEST(Best, IsValidAtTheSizeThatIsAskedFor) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  // Rows of 67 cells are no whole vectors: nothing unpadded with vectors is valid there.
  const auto needs_whole_vectors = [](const Json& configuration) {
    return configuration["padded"] == false && configuration["vector"] != 1;
  };
  for (std::uint64_t sample = 1; sample <= 40; ++sample) {
    const std::string path = (sandbox / (std::to_string(sample) + ".db")).string();
    add_recording(path, {.count = 12, .sample = sample});
    if (!needs_whole_vectors(best_json(sandbox, {"--db", path})["configuration"])) continue;
    const ProgramResult outcome =
        sandbox.tune({"best", "stencil3d", "--size", "67x67x67", "--format", "json", "--db", path});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_FALSE(needs_whole_vectors(Json::parse(outcome.out)["configuration"])) << outcome.out;
    return;
  }
  FAIL() << "no sample has a winner that is not valid elsewhere";
}

TEST(Best, OnAnArchitectureThatTheProgramDoesNotKnow) {
  const Sandbox sandbox;
  DeviceProperties device = device_named("Invented Z1");
  device.compute_major = 77;
  add_recording(sandbox.database(), {.device = device, .count = 20});
  EXPECT_EQ(best_json(sandbox, {"--device", "Invented Z1"})["device"], "Invented Z1");
}

TEST(Best, OtherSettingsAreOtherWork) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune(best({"--set", "radius=2"})), 3,
                 {"no result of stencil3d", "radius=2", "tune --problem stencil3d --size 64x64x64 --set"});
}

/// The command behind 'to get one: ', without its first word.
std::vector<std::string> advised(const ProgramResult& outcome) {
  const std::string mark = "to get one: tune ";
  const std::size_t at = outcome.err.find(mark);
  if (at == std::string::npos) return {};
  return cli::words_of(outcome.err.substr(at + mark.size(), outcome.err.size() - at - mark.size() - 1));
}

TEST(Best, WhatItAdvisesAsksForTheSameWork) {
  const Sandbox sandbox;
  const std::string stencil = (sandbox / "my heat.stencil").string(), own = (sandbox / "add.json").string();
  std::ofstream(stencil) << "0.5*A[x,y] + 0.25*A[x+2,y]\n";
  std::ofstream(sandbox / "add.cu") << "__global__ void add(float* out, int n) {}\n";
  std::ofstream(own)
      << R"json({"problem": "add", "kernel": "add.cu", "sizes": {"n": 128}, "parameters": {"B": [1, 2]},
    "arguments": {"out": {"type": "float", "size": "n", "access": "write"}, "n": {"type": "int", "value": "n"}},
    "launches": {"entry": "add", "grid": 1, "block": 128}})json";
  const auto advice = [&](std::vector<std::string> asked) {
    asked.insert(asked.begin(), "best");
    return advised(sandbox.tune(asked));
  };
  using Words = std::vector<std::string>;
  const Words for_stencil = advice({"--stencil", stencil, "--set", "steps=100", "--size", "64x64"});
  EXPECT_EQ(for_stencil, (Words{"--stencil", stencil, "--size", "64x64", "--set", "type=float,steps=100"}));
  EXPECT_EQ(advice({for_stencil}), for_stencil);
  EXPECT_EQ(advice({"--problem", own}), (Words{"--problem", own, "--size", "128"}));
  const Words warm = advice({"stencil3d", "--cache", "warm", "--objective", "energy"});
  ASSERT_GE(warm.size(), 4U);
  EXPECT_EQ(Words(warm.end() - 4, warm.end()), (Words{"--cache", "warm", "--objective", "energy"}));
}

TEST(Best, OfAnImportedKernelSaysThatItWasImported) {
  const Sandbox sandbox;
  std::ofstream(sandbox / "cache.json")
      << R"({"device_name": "NVIDIA A100", "kernel_name": "convolve", "problem_size": [4096, 512],
"tune_params_keys": ["tile"], "tune_params": {"tile": [1, 2]}, "objective": "time", "cache": {
"1": {"tile": 1, "time": 2.0, "times": [1.5, 2.0, 2.5], "timestamp": "2023-12-22 09:54:05.502007+00:00"}}})";
  ASSERT_EQ(sandbox.tune({"db", "import", (sandbox / "cache.json").string()}).status, 0);
  const ProgramResult outcome = sandbox.tune({"best", "convolve"});
  expect_refused(outcome, 3, {"no result of convolve", "imported", "of size 4096x512", "--imported"});
  EXPECT_EQ(outcome.err.find("to get one"), std::string::npos) << outcome.err;
  const ProgramResult asked = sandbox.tune({"best", "convolve", "--imported"});
  ASSERT_EQ(asked.status, 0) << asked.err;
  EXPECT_NE(asked.out.find("convolve 4096x512 on NVIDIA A100 (imported)"), std::string::npos) << asked.out;
  EXPECT_NE(asked.out.find("imported: measured by another program"), std::string::npos) << asked.out;
  EXPECT_NE(asked.out.find("tile=1"), std::string::npos) << asked.out;
  EXPECT_EQ(asked.err, "");
  const Json json = Json::parse(sandbox.tune({"best", "convolve", "--imported", "--format", "json"}).out);
  EXPECT_EQ(json["origin"], "imported");
  EXPECT_EQ(json["seconds"], 2e-3);
  EXPECT_EQ(json["match"], "exact");
  const std::string header = sandbox.tune({"best", "convolve", "--imported", "--format", "header"}).out;
  EXPECT_NE(header.find("measured by another program"), std::string::npos) << header;
  expect_refused(sandbox.tune({"best", "convolve", "--imported", "--device", "Other"}), 3,
                 {"no imported result of convolve", "NVIDIA A100"});
  std::ofstream(sandbox / "own.json")
      << R"({"problem": "mine", "kernel": "k.cu", "sizes": {"n": 9}, "parameters": {"tile": [1, 2]},
"arguments": {"a": {"type": "int", "size": "n", "access": "write"}}, "launches": {"entry": "k", "grid": 1, "block": 1}})";
  const ProgramResult of_own =
      sandbox.tune({"db", "import", (sandbox / "cache.json").string(), "--problem",
                    (sandbox / "own.json").string(), "--db", (sandbox / "own.db").string()});
  EXPECT_NE(of_own.out.find("Kernel Tuner mine 4096x512"), std::string::npos) << of_own.out << of_own.err;
  // What such results do not tell is unknown, and not 0.
  const std::string shown = sandbox.tune({"show", "1"}).out, listed = sandbox.tune({"list", "devices"}).out;
  EXPECT_NE(shown.find("NVIDIA A100, the rest is unknown, imported"), std::string::npos) << shown;
  EXPECT_NE(shown.find("1 evaluation (0 known before), 0 failures"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("seed"), std::string::npos) << shown;
  EXPECT_EQ((shown + listed).find("sm_00"), std::string::npos) << shown << listed;
  EXPECT_NE(listed.find("unknown"), std::string::npos) << listed;
  const Json run = Json::parse(sandbox.tune({"show", "1", "--format", "json"}).out);
  EXPECT_EQ(run["seed"], nullptr);
  const Json devices = Json::parse(sandbox.tune({"list", "devices", "--format", "json"}).out);
  EXPECT_EQ(devices[0]["architecture"], nullptr);
}

TEST(Best, ADamagedRecordingIsLeftOutWithANotice) {
  const Sandbox sandbox;
  const std::string answer = sandbox.tune(best({})).out;
  const std::filesystem::path damaged = sandbox.recording().parent_path() / "another.db";
  std::filesystem::copy_file(sandbox.recording(), damaged);
  std::filesystem::resize_file(damaged, std::filesystem::file_size(damaged) / 2);
  const auto noticed = [&](const ProgramResult& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find("left out a recording"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("another.db"), std::string::npos) << outcome.err;
    EXPECT_LT(outcome.err.size(), 500U) << outcome.err;
  };
  ProgramResult outcome = sandbox.tune(best({}));
  noticed(outcome);
  EXPECT_EQ(outcome.out, answer);
  // A replay takes the larger one.
  EXPECT_EQ(sandbox.tune(small_run({"--device", "replay", "--quiet", "--budget-evals", "5"})).status, 0);
  // Damage that is met only while the answer is looked for.
  std::filesystem::copy_file(sandbox.recording(), damaged, std::filesystem::copy_options::overwrite_existing);
  const auto page = std::filesystem::file_size(damaged) / 4096;
  std::fstream file(damaged, std::ios::binary | std::ios::in | std::ios::out);
  for (std::uintmax_t i = page / 2; i < page; ++i) {
    file.seekp(static_cast<std::streamoff>(i * 4096));
    file << std::string(4096, '\x55');
  }
  file.close();
  outcome = sandbox.tune(best({}));
  noticed(outcome);
  EXPECT_NE(outcome.err.find("'tune db check"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, answer);
}

TEST(Best, RecordingsThatTheEnvironmentNames) {
  Sandbox sandbox;
  const std::string answer = sandbox.tune(best({})).out;
  sandbox.set_environment("TUNE_RECORDINGS", sandbox.recording().string());
  EXPECT_EQ(sandbox.tune(best({})).out, answer) << "one file is a recording, too";
  sandbox.set_environment("TUNE_RECORDINGS", (sandbox / "nowhere").string());
  const ProgramResult missing = sandbox.tune(best({}));
  EXPECT_EQ(missing.status, 3);
  EXPECT_NE(missing.err.find("TUNE_RECORDINGS: there is no '" + (sandbox / "nowhere").string() + "'"),
            std::string::npos)
      << missing.err;
  std::ofstream(sandbox / "text.db") << "no database";
  sandbox.set_environment("TUNE_RECORDINGS", (sandbox / "text.db").string());
  const ProgramResult text = sandbox.tune(best({}));
  EXPECT_EQ(text.status, 3);
  EXPECT_NE(text.err.find("left out a recording"), std::string::npos) << text.err;
}

TEST(Best, OnAnotherDeviceIsNoAnswer) {
  const Sandbox sandbox;
  const ProgramResult guess = sandbox.tune(best({"--device", "Unheard-of 9000"}));
  EXPECT_EQ(guess.status, 0);
  EXPECT_TRUE(has(guess.err, "no results of a device 'Unheard-of 9000': this is a guess")) << guess.err;
  const std::vector<std::string> json = best({"--device", "Unheard-of 9000", "--format", "json"});
  EXPECT_EQ(Json::parse(sandbox.tune(json).out)["match"], "portfolio");
  expect_refused(sandbox.tune(best({"--device", "Invented H3"})), 3, {"did you mean 'Invented H2'?"});
  EXPECT_EQ(best_json(sandbox, {"--device", "Invented H2"})["device"], "Invented H2");
}

TEST(Best, WithNothingAtAll) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  for (const char* format : {"text", "json", "flags", "header"})
    expect_refused(sandbox.tune(best({"--format", format})), 3, {"no result of stencil3d"});
}

TEST(Best, FormatsForBuildSystemsAndLanguages) {
  const Sandbox sandbox;
  const auto of = [&](const char* format) { return done(sandbox, best({"--format", format})).out; };
  const Json answer = best_json(sandbox);
  const std::string variant = answer["configuration"]["variant"];
  EXPECT_TRUE(has(of("env"), "TUNE_PARAMETER_variant=" + variant + "\n")) << of("env");
  EXPECT_TRUE(has(of("env"), "TUNE_LAUNCH_0_GRID='"));
  EXPECT_TRUE(has(of("cmake"), "set(TUNE_PARAMETER_variant \"" + variant + "\")\n"));
  EXPECT_TRUE(has(of("cmake"), "set(TUNE_FLAGS \"-D"));
  EXPECT_TRUE(has(of("python"), "\"variant\": \"" + variant + "\",\n"));
  EXPECT_TRUE(has(of("rust"), "pub const VARIANT: &str = \"" + variant + "\";\n"));
  expect_refused(sandbox.tune(best({"--format", "nvcc"})), 2, {"--keep-sources DIR"});
  std::string words =
      done(sandbox, best({"--format", "nvcc", "--keep-sources", (sandbox / "kept").string()})).out;
  words.pop_back();
  EXPECT_TRUE(words.starts_with("-arch=sm_")) << words;
  EXPECT_TRUE(std::filesystem::exists(words.substr(words.rfind(' ') + 1))) << words;
}

TEST(Best, TopAndWhatWasConsidered) {
  const Sandbox sandbox;
  const Json answer = best_json(sandbox, {"--top", "3", "--explain"});
  ASSERT_EQ(answer["top"].size(), 3U);
  EXPECT_EQ(answer["top"][0]["configuration"], answer["configuration"]);
  EXPECT_FALSE(answer["considered"].empty());
  EXPECT_TRUE(has(done(sandbox, best({"-n", "2", "--near"})).out, "against the best"));
  expect_refused(sandbox.tune(best({"--top", "2", "--format", "flags"})), 2, {"--top and --explain"});
}

TEST(Best, FlagsNameEveryParameterOfTheKernel) {
  const Sandbox sandbox;
  const Json answer = best_json(sandbox);
  const std::string flags = sandbox.tune(best({"--format", "flags"})).out;
  EXPECT_EQ(lines_of(flags).size(), 1U);
  EXPECT_NE(flags.find("-DBOUNDARY=Boundary::held"), std::string::npos) << flags;
  EXPECT_NE(flags.find("-DREAL=float"), std::string::npos) << flags;
  for (const auto& [name, value] : answer["configuration"].items()) {
    if (name == "variant") continue;
    std::string macro = "-D" + name + "=";
    for (char& letter : macro) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    EXPECT_NE(flags.find(macro), std::string::npos) << macro << " in " << flags;
  }
}

TEST(Best, FlagsSurviveAShell) {
  const Sandbox sandbox;
  const std::string flags = sandbox.tune(best({"--format", "flags"})).out;
  const std::string file = (sandbox / "words").string();
  ASSERT_EQ(std::system(("printf '%s\\n' " + flags.substr(0, flags.size() - 1) + " > " + file).c_str()), 0);
  for (const std::string& word : lines_of(read_file(file)))
    EXPECT_TRUE(std::regex_match(word, std::regex(R"(-D[A-Z_0-9]+=[A-Za-z_0-9:.+-]+)"))) << word;
}

TEST(Best, HeaderCompiles) {
  const Sandbox sandbox;
  std::ofstream(sandbox / "best.hpp") << sandbox.tune(best({"--format", "header"})).out;
  std::ofstream(sandbox / "use.cpp") << "#include \"best.hpp\"\n#include \"best.hpp\"\n"
                                        "static_assert(tune_best::stencil3d::block_x > 0);\n"
                                        "static_assert(tune_best::stencil3d::grid_0[0] > 0);\n"
                                        "static_assert(tune_best::stencil3d::block_0[0] > 0);\n"
                                        "static_assert(tune_best::stencil3d::variant[0] != 0);\n";
  const std::string command = std::string(TUNE_CXX) + " -std=c++17 -Wall -Wextra -Werror -fsyntax-only " +
                              (sandbox / "use.cpp").string();
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(sandbox / "best.hpp");
}

}  // namespace
}  // namespace tune::testing
