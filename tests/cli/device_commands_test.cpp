// SPDX-License-Identifier: Apache-2.0
// Commands about devices, where there is none: what does not need one works, the rest says what is missing.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

TEST(Check, NeedsAGpuOrAnArchitecture) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"check", "stencil3d"}), 1, {"no GPU", "--device emulator", "--arch sm_90"});
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
  const ProgramResult json =
      sandbox.tune({"check", "stencil3d", "--arch", "sm_90", "--sample", "1", "--format", "json"});
  EXPECT_EQ(Json::parse(json.out)["checked"], 1);
}

}  // namespace
}  // namespace tune::testing
