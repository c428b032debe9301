// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace tune::testing {

void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(TUNE_GOLDEN_DIR) / name;
  const char* update = std::getenv("TUNE_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << "there is no " << path << ": run once with TUNE_UPDATE_GOLDEN=1";
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(text, expected) << "if the change is meant, run with TUNE_UPDATE_GOLDEN=1 and look at the diff";
}

}  // namespace tune::testing
