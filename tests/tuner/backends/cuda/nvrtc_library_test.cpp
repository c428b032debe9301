// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tuner/backends/cuda/toolkit/nvrtc.hpp"

namespace tune::cuda {
namespace {

TEST(NvrtcLibrary, SaysWhatIsMissing) {
  std::string reason;
  EXPECT_EQ(open_nvrtc(&reason, {"/nowhere/libnvrtc.so.13"}), nullptr);
  EXPECT_NE(reason.find("NVRTC"), std::string::npos) << reason;
  EXPECT_NE(reason.find("CUDA_HOME"), std::string::npos) << reason;
  EXPECT_EQ(open_nvrtc(nullptr, {}), nullptr);
}

TEST(NvrtcLibrary, PassesOverAnObjectThatIsNotNvrtc) {
  std::string reason;
  EXPECT_EQ(open_nvrtc(&reason, {"libc.so.6"}), nullptr);
  EXPECT_FALSE(reason.empty());
}

TEST(NvrtcLibrary, LooksIntoTheToolkitThatTheEnvironmentNames) {
  setenv("CUDA_HOME", "/opt/some-toolkit", 1);
  const auto candidates = nvrtc_candidates(13);
  unsetenv("CUDA_HOME");
  const auto place = [&](const char* file) { return std::find(candidates.begin(), candidates.end(), file); };
  ASSERT_NE(place("/opt/some-toolkit/lib64/libnvrtc.so.13"), candidates.end());
  EXPECT_LT(place("/opt/some-toolkit/lib64/libnvrtc.so.12"), place("/usr/local/cuda/lib64/libnvrtc.so.13"));
  EXPECT_EQ(candidates.front(), "libnvrtc.so.13") << "what the loader finds comes first";
}

TEST(NvrtcLibrary, OneThatTheDriverSupportsIsPreferred) {
  const auto newest = nvrtc_candidates(13), older = nvrtc_candidates(12);
  EXPECT_EQ(newest.front(), "libnvrtc.so.13");
  EXPECT_EQ(nvrtc_candidates(0), newest);
  const auto is_13 = [](const std::string& file) { return file.ends_with(".13"); };
  EXPECT_EQ(older.size(), newest.size());
  EXPECT_TRUE(std::ranges::is_partitioned(older, [&](const std::string& file) { return !is_13(file); }));
  EXPECT_TRUE(is_13(older.back())) << "it compiles at least";
}

}  // namespace
}  // namespace tune::cuda
