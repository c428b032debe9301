// SPDX-License-Identifier: Apache-2.0
// The programs of docs/reference/library.md compile as C++17, and as C99, with the installed headers alone,
// and run.
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

/// The blocks of C++ (`cpp`), or of C (`c`), in the page, in order. A part of a program is put in a function.
std::vector<std::string> programs(const std::string& language = "cpp") {
  const std::string page = text_of(std::filesystem::path(TUNE_SOURCE_DIR) / "docs/reference/library.md");
  const std::string fence = "```" + language + "\n";
  std::vector<std::string> all;
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    std::string block = page.substr(at, page.find("\n```", at) - at + 1);
    if (block.find("#include") == std::string::npos)
      block =
          "#include <tune/tune.hpp>\n#include <algorithm>\nvoid part(tune::Problem& problem);\n"
          "void part(tune::Problem& problem) {\n" +
          block + "}\n";
    all.push_back(std::move(block));
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
  std::string compile(const std::string& program, const std::string& how,
                      const std::string& language = "-x c++ -std=c++17") const {
    std::ofstream(folder_.path() / "program") << program;
    return shell(std::string(TUNE_CXX) + sanitizers + " " + language +
                 " -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I'" TUNE_SOURCE_DIR
                 "/library/include' '" +
                 (folder_.path() / "program").string() + "' -x none -o '" + run_ + "' " + how);
  }
  const std::string linked_ = std::string("-L") + TUNE_LIBRARY_DIR + " -ltune -Wl,-rpath," + TUNE_LIBRARY_DIR;
  TemporaryFolder folder_;
  const std::string run_ = (folder_.path() / "run").string();
};

TEST_F(LibraryPage, TheFirstProgramRunsOnTheEmulator) {
  ASSERT_FALSE(programs().empty());
  ASSERT_EQ(compile(programs()[0], linked_), "0\n");
  const std::string output = shell("'" + run_ + "' emulator");
  // The address sanitizer warns of the emulator's stacks before the first line.
  EXPECT_THAT(output, ::testing::StartsWith("0\n"));
  EXPECT_THAT(output, ::testing::HasSubstr("\nBLOCK=256, ITEMS=1: right\n"));
}

TEST_F(LibraryPage, TheProgramInCRunsADefinitionOnTheEmulator) {
  ASSERT_EQ(programs("c").size(), 1U);
  ASSERT_EQ(compile(programs("c")[0], linked_, "-x c -std=c99"), "0\n");
  const std::string output =
      shell("'" + run_ + "' '" TUNE_SOURCE_DIR "/examples/own_kernels/transpose.json' emulator");
  EXPECT_THAT(output, ::testing::StartsWith("0\n"));
  EXPECT_THAT(output, ::testing::HasSubstr("\n6 evaluations, 6 right\n"));
  EXPECT_THAT(shell("'" + run_ + "' nowhere.json emulator"),
              ::testing::HasSubstr("cannot read nowhere.json"));
}

TEST_F(LibraryPage, AProgramInCUsesTheWholeInterface) {
  ASSERT_EQ(compile(text_of(TUNE_SOURCE_DIR "/tests/install/tuner_c/consumer.c"), linked_, "-x c -std=c99"),
            "0\n");
  EXPECT_THAT(shell("'" + run_ + "'"), ::testing::HasSubstr("all of it works\n"));
}

TEST_F(LibraryPage, AllOthersCompile) {
  const std::vector<std::string> all = programs();
  ASSERT_GE(all.size(), 3U);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_EQ(compile(all[i], "-fsyntax-only"), "0\n") << all[i];
}

}  // namespace
}  // namespace tune::testing
