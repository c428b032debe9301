// SPDX-License-Identifier: Apache-2.0
// Commands about devices, where there is none: what does not need one works, the rest says what is missing.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "library/run/gpu.hpp"
#include "tests/cli/sandbox.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"

namespace tune::testing {
namespace {

using Json = nlohmann::json;

TEST(Devices, WithoutOne) {
  const Sandbox sandbox;
  const ProgramResult text = sandbox.tune({"devices"});
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(text.out.starts_with("no devices: ")) << text.out;
  EXPECT_NE(text.out.find("\ntoolkit: "), std::string::npos) << text.out;
  const Json json = Json::parse(sandbox.tune({"devices", "--format", "json"}).out);
  EXPECT_EQ(json["devices"], Json::array());
  EXPECT_NE(json["why_none"], "");
}

// Every command with --device: Reference.EveryCommandReadsADeviceAlike.
TEST(Devices, AGpuThatIsNotThereHasAStatusOfItsOwn) {
  const Sandbox sandbox;
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls = {
      {small_run({"--device", "cuda:0"}), "there is no device 0: "},
      {{"best", "stencil3d", "--device", "7"}, "there is no device 7: "},
      {{"space", "stencil3d", "--device", "3"}, "; --arch sm_90 takes"},
      {{"check", "stencil3d", "--device", "3"}, "; --device emulator checks"},
      {{"check", "stencil3d"}, "; --device emulator checks"},
      {{"check", "--stored", "--device", "3"}, "; stored winners can only"}};
  for (const auto& [call, words] : calls) expect_refused(sandbox.tune(call), 4, {words});
}

TEST(Devices, SeveralShareARunWhereACommandTakesThem) {
  const Sandbox sandbox;
  const auto refused = [&](int status, std::vector<std::string> call, const std::string& words) {
    expect_refused(sandbox.tune(std::move(call)), status, {words});
    EXPECT_FALSE(std::filesystem::exists(sandbox.database()));
  };
  refused(2, small_run({"--device", "0,1,cuda:0"}), "device 0 is named twice");
  refused(4, small_run({"--device", "cuda:0,cuda:1"}), "there is no device 0: ");
  refused(2, small_run({"--device", "0,"}), "'' is not the number of a GPU; 'tune devices' lists them");
  refused(2, small_run({"--device", "0,H100"}), "'H100' is not the number of a GPU");
  refused(4, small_run({"--device", "0,1"}), "there is no device 0: ");
  refused(4, small_run({"--device", "all"}), "there is no GPU: ");
  refused(2, {"run", "gemm_host", "--device", "all"}, "gemm_host runs on the processor");
}

TEST(Devices, OnlyThoseOfOneModelShareARun) {
  DeviceProperties one = architecture_properties("sm_90"), other = architecture_properties("sm_80");
  DeviceProperties old = one;
  old.driver = "1.0";
  std::vector<std::string> left_out;
  EXPECT_EQ(run::of_one_model({other, one, old, one}, {1, 3, 0, 2}, left_out), (std::vector{1, 3}));
  ASSERT_EQ(left_out.size(), 2U);
  EXPECT_NE(left_out[0].find("device 0 is left out: it is another model"), std::string::npos) << left_out[0];
  EXPECT_NE(left_out[1].find("device 2 is left out: its driver is another one (1.0)"), std::string::npos)
      << left_out[1];
}

TEST(Check, ThatAParameterChangesNothingIsToldOnce) {
  if (!cuda::make_nvrtc_compiler("sm_90", nullptr)) GTEST_SKIP() << "no NVRTC";
  const Sandbox sandbox;
  const Json definition = {{"problem", "unused"},
                           {"kernel", "u.cu"},
                           {"sizes", {{"n", 64}}},
                           {"parameters", {{"B", {32, 64}}, {"NAMED", {1, 2}}, {"UNUSED", {1, 2}}}},
                           {"arguments", {{"a", {{"type", "float"}, {"size", {"n"}}, {"access", "write"}}}}},
                           {"launches", {{{"entry", "k"}, {"grid", {1}}, {"block", {"B"}}}}}};
  written(sandbox, "u.cu",
          "#ifndef NAMED\n#define NAMED 1\n#endif\n"
          "extern \"C\" __global__ void k(float* a) { a[threadIdx.x] = 1; }\n");
  const ProgramResult outcome =
      done(sandbox, {"check", written(sandbox, "u.json", definition.dump()), "--arch", "sm_90"});
  EXPECT_TRUE(has(outcome.err, "parameter 'UNUSED' changes nothing")) << outcome.err;
  EXPECT_FALSE(has(outcome.out, "UNUSED")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "parameter 'NAMED' changed nothing in ")) << outcome.out;
}

TEST(Space, AConstraintIsPrintedOnce) {
  const Sandbox sandbox;
  const Json definition = {
      {"problem", "plain"},
      {"kernel", "k.cu"},
      {"sizes", {{"n", 64}}},
      {"parameters", {{"B", {32, 64, 128}}, {"C", {1, 2}}}},
      {"constraints", Json::array({"B * C <= 128", {{"rule", "B != 64"}, {"why", "64 is odd here"}}})},
      {"arguments", {{"a", {{"type", "float"}, {"size", {"n"}}, {"access", "write"}}}}},
      {"launches", {{{"entry", "k"}, {"grid", {1}}, {"block", {"B"}}}}}};
  written(sandbox, "k.cu", "extern \"C\" __global__ void k(float* a) { a[threadIdx.x % 64] = B * C; }\n");
  const std::string out =
      done(sandbox, {"space", written(sandbox, "k.json", definition.dump()), "--arch", "sm_90"}).out;
  EXPECT_TRUE(out.ends_with("\nConstraints\n  B * C <= 128\n  B != 64\n      64 is odd here\n")) << out;
}

TEST(Space, AsJson) {
  const Sandbox sandbox;
  const ProgramResult outcome = sandbox.tune({"space", "stencil3d", "--arch", "sm_80", "--where",
                                              "block_x == 32", "--sample", "3", "--format", "json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "") << "the limits were asked for";
  const Json space = Json::parse(outcome.out);
  EXPECT_EQ(space["device"], "sm_80");
  EXPECT_GT(space["valid"], 1000);
  EXPECT_EQ(space["sample"].size(), 3U);
  for (const Json& configuration : space["sample"]) EXPECT_EQ(configuration["block_x"], 32);
}

TEST(Space, SamplesAreAsTheSeedSays) {
  const Sandbox sandbox;
  const auto sample = [&](const char* seed) {
    return sandbox.tune({"space", "stencil3d", "--arch", "sm_90", "--sample", "5", "--seed", seed}).out;
  };
  EXPECT_EQ(sample("1"), sample("1"));
  EXPECT_NE(sample("1"), sample("2"));
}

TEST(Space, WhatCannotBeCountedIsDrawn) {
  const Sandbox sandbox;
  Json definition = {{"problem", "tied"},
                     {"kernel", "k.cu"},
                     {"sizes", {{"n", 1000}}},
                     {"arguments", {{"a", {{"type", "float"}, {"size", {"n"}}, {"access", "write"}}}}},
                     {"launches", {{{"entry", "k"}, {"grid", {"n"}}, {"block", {1}}}}}};
  std::string sum = "0", kernel = "extern \"C\" __global__ void k(float* a) { a[blockIdx.x] = 0";
  for (int p = 0; p < 14; ++p) {
    const std::string name = "P" + std::to_string(p);
    for (int value = 0; value < 10; ++value) definition["parameters"][name].push_back(value);
    sum += " + " + name + " * 10 ** " + std::to_string(p);
    kernel += " + " + name;
  }
  definition["constraints"] = {"(" + sum + ") % 9973 % 7 == 3"};
  std::ofstream(sandbox / "k.cu") << kernel << "; }\n";
  const std::string file = (sandbox / "tied.json").string();
  std::ofstream(file) << definition;
  const auto space = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"space", "--problem", file, "--arch", "sm_90"});
    return sandbox.tune(options);
  };
  const ProgramResult text = space({"--sample", "2"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("valid configurations: not counted, of 100000000000000"), std::string::npos);
  EXPECT_NE(text.err.find("cannot be counted"), std::string::npos) << text.err;
  EXPECT_EQ(Json::parse(space({"--format", "json", "--sample", "2"}).out)["valid"], Json());
  const ProgramResult number = space({"--count"});
  EXPECT_EQ(number.status, 1);
  EXPECT_NE(number.err.find("--count: not counted; fix a parameter"), std::string::npos) << number.err;
  const ProgramResult all = sandbox.tune({"check", "--problem", file, "--arch", "sm_90", "--all"});
  EXPECT_EQ(all.status, 2);
  EXPECT_NE(all.err.find("use --sample N"), std::string::npos) << all.err;
}

TEST(Check, NeedsAGpuOrAnArchitecture) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"check", "stencil3d"}), 4, {"no GPU", "--device emulator", "--arch sm_90"});
}

TEST(Check, ACompileThatTakesTooLongIsAFailure) {
  if (!cuda::make_nvrtc_compiler("sm_90", nullptr)) GTEST_SKIP() << "no NVRTC";
  Sandbox sandbox;
  std::filesystem::create_directories(sandbox / "bin");
  const std::string nvcc = written(sandbox, "bin/nvcc",
                                   "#!/bin/sh\ncase \"$1\" in\n"
                                   "--version) echo 'Cuda compilation tools, release 12.4, V12.4.1'; exit;;\n"
                                   "--list-gpu-code) echo sm_90; exit;;\nesac\nexec sleep 60\n");
  std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
  sandbox.set_environment("CUDA_HOME", (sandbox / "").string());
  written(sandbox, "k.cu", "extern \"C\" __global__ void k(float* a) { a[blockIdx.x] = B; }\n");
  const std::string file =
      written(sandbox, "slow.json",
              R"({"problem": "slow", "kernel": {"file": "k.cu", "compiler": "nvcc"}, "sizes": {"n": 10},
          "parameters": {"B": [1, 2]}, "arguments": {"a": {"type": "float", "size": ["n"], "access": "write"}},
          "launches": [{"entry": "k", "grid": ["n"], "block": [1]}]})");
  const auto begin = std::chrono::steady_clock::now();
  const ProgramResult outcome = sandbox.tune({"check", "--problem", file, "--arch", "sm_90", "--all",
                                              "--compile-timeout", "300ms", "--no-compile-cache"});
  EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("compiling took longer than 0.3 s (--compile-timeout)"), std::string::npos)
      << outcome.out;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Check, CompilesForAnArchitecture) {
  const Sandbox sandbox;
  std::string failure_reason;
  if (!cuda::make_nvrtc_compiler("sm_90", &failure_reason)) {
    expect_refused(sandbox.tune({"check", "stencil3d", "--arch", "sm_90"}), 1, {"cannot compile for sm_90"});
    GTEST_SKIP() << failure_reason;
  }
  const ProgramResult text = sandbox.tune({"check", "stencil3d", "--arch", "sm_90", "--sample", "2"});
  EXPECT_EQ(text.status, 0) << text.out;
  EXPECT_EQ(text.out, "compiled for sm_90, not run: 2 configurations, 0 failed, 0 cannot run here\n");
  EXPECT_EQ(
      sandbox.tune({"check", "stencil3d", "--arch", "sm_90", "--sample", "2"}).out,
      "compiled for sm_90 (2 from the compile cache), not run: 2 configurations, 0 failed, 0 cannot run "
      "here\n");
  const ProgramResult json =
      sandbox.tune({"check", "stencil3d", "--arch", "sm_90", "--sample", "1", "--format", "json"});
  EXPECT_EQ(Json::parse(json.out)["checked"], 1);
}

}  // namespace
}  // namespace tune::testing
