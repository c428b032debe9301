// SPDX-License-Identifier: Apache-2.0
// Where the program keeps compiled kernels. `check --arch` compiles without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "library/run/paths.hpp"
#include "tests/cli/sandbox.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> check(const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"check", "stencil3d", "--arch", "sm_90", "--sample", "2"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::ptrdiff_t cache_entries(const fs::path& folder) {
  std::error_code none;
  fs::directory_iterator files(folder, none);
  return std::count_if(begin(files), end(files),
                       [](const auto& file) { return file.path().extension() == ".entry"; });
}

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (!cuda::make_nvrtc_compiler("sm_90", &reason)) GTEST_SKIP() << reason;
  }
  Sandbox sandbox_;
};

TEST_F(Cache, LiesInTheHomeOfCaches) {
  const ProgramResult first = sandbox_.tune(check());
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(first.err, "");
  const fs::path folder = sandbox_ / "home/cache/tune/binaries";
  EXPECT_EQ(cache_entries(folder), 2);
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const auto& file : fs::directory_iterator(folder)) fs::last_write_time(file, old);
  EXPECT_EQ(sandbox_.tune(check()).out,
            std::regex_replace(first.out, std::regex("sm_90,"), "sm_90 (2 from the compile cache),"));
  EXPECT_EQ(cache_entries(folder), 2);
  for (const auto& file : fs::directory_iterator(folder))
    if (file.path().extension() == ".entry") {
      EXPECT_GT(file.last_write_time(), old) << "the second call did not use it";
    }
}

TEST_F(Cache, GoesWhereItIsTold) {
  sandbox_.set_environment("TUNE_CACHE_DIR", (sandbox_ / "named").string());
  sandbox_.tune(check());
  EXPECT_EQ(cache_entries(sandbox_ / "named"), 2);
  sandbox_.tune(check({"--cache-dir", (sandbox_ / "option").string()}));
  EXPECT_EQ(cache_entries(sandbox_ / "option"), 2);
  EXPECT_FALSE(fs::exists(sandbox_ / "home/cache"));
}

TEST_F(Cache, CanBeSwitchedOff) {
  EXPECT_EQ(sandbox_.tune(check({"--no-compile-cache"})).status, 0);
  EXPECT_FALSE(fs::exists(sandbox_ / "home/cache"));
}

TEST_F(Cache, AnUnusableFolderIsANotice) {
  const ProgramResult outcome = sandbox_.tune(check({"--cache-dir", "/proc/none"}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("2 configurations, 0 failed"), std::string::npos) << outcome.out;
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  EXPECT_NE(outcome.err.find("/proc/none"), std::string::npos) << outcome.err;
}

TEST_F(Cache, ASizeThatCannotBeReadIsRefused) {
  for (const char* size : {"many", "0", "-1G"}) {
    sandbox_.set_environment("TUNE_CACHE_SIZE", size);
    expect_refused(sandbox_.tune(check()), 2, {"TUNE_CACHE_SIZE", size, "500M or 2G"});
    EXPECT_EQ(sandbox_.tune(check({"--no-compile-cache"})).status, 0);
  }
}

TEST_F(Cache, StaysBelowTheSize) {
  sandbox_.set_environment("TUNE_CACHE_SIZE", "100K");
  std::vector<std::string> more = check();
  more.back() = "12";
  EXPECT_EQ(sandbox_.tune(more).status, 0);
  EXPECT_LT(cache_entries(sandbox_ / "home/cache/tune/binaries"), 12);
}

TEST(CacheFolder, IsChosenInOrder) {
  Sandbox sandbox;
  EXPECT_EQ(run::cache_folder("given"), "given");
  EXPECT_EQ(run::cache_folder(""), sandbox / "home/cache/tune/binaries");
  sandbox.set_environment("XDG_CACHE_HOME", "");
  EXPECT_EQ(run::cache_folder(""), sandbox / "home/.cache/tune/binaries");
  sandbox.set_environment("HOME", "");
  EXPECT_EQ(run::cache_folder(""), "");
  sandbox.set_environment("TUNE_CACHE_DIR", "/named");
  EXPECT_EQ(run::cache_folder(""), "/named");
}

}  // namespace
}  // namespace tune::testing
