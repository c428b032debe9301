// SPDX-License-Identifier: Apache-2.0
// The programs of docs/library.md compile as C++17 with the installed headers alone, and run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/sanitizers.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The blocks of C++ in the page, in order.
std::vector<std::string> programs() {
  const std::string page = text_of(std::filesystem::path(TUNE_SOURCE_DIR) / "docs" / "library.md");
  const std::string fence = "```cpp\n";
  std::vector<std::string> all;
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    all.push_back(page.substr(at, page.find("\n```", at) - at + 1));
  }
  return all;
}

// A library that was built for a sanitizer wants it in the program, too.
constexpr const char* sanitizers =
    tune::testing::has_address_sanitizer ? " -fsanitize=address,undefined" : "";

class LibraryPage : public ::testing::Test {
 protected:
  /// Exit status and what it said.
  std::string shell(const std::string& command) const {
    const std::string out = (folder_.path() / "out").string();
    const int status = std::system((command + " > '" + out + "' 2>&1").c_str());
    return std::to_string(status) + "\n" + text_of(out);
  }
  std::string compile(const std::string& program, const std::string& how) const {
    std::ofstream(folder_.path() / "program.cpp") << program;
    return shell(std::string(TUNE_CXX) + sanitizers +
                 " -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I'" TUNE_SOURCE_DIR
                 "/library/include' '" +
                 (folder_.path() / "program.cpp").string() + "' -o '" +
                 (folder_.path() / "program").string() + "' " + how);
  }
  TemporaryFolder folder_;
};

TEST_F(LibraryPage, TheFirstProgramRunsOnTheEmulator) {
  ASSERT_EQ(programs().size(), 2U);
  const std::string folder = TUNE_LIBRARY_DIR;
  ASSERT_EQ(compile(programs()[0], "-L" + folder + " -ltune -Wl,-rpath," + folder), "0\n");
  const std::string output = shell("'" + (folder_.path() / "program").string() + "' emulator");
  // The address sanitizer warns of the emulator's stacks before the first line.
  EXPECT_THAT(output, ::testing::StartsWith("0\n"));
  EXPECT_THAT(output, ::testing::HasSubstr("\nBLOCK=256, ITEMS=1: right\n"));
}

TEST_F(LibraryPage, TheDispatcherCompiles) {
  ASSERT_EQ(programs().size(), 2U);
  EXPECT_EQ(compile(programs()[1], "-c"), "0\n");
}

}  // namespace
}  // namespace tune::testing
