// SPDX-License-Identifier: Apache-2.0
// The rules of the source tree that a compiler does not check.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/structure/source_tree.hpp"

namespace tune::testing {
namespace {

const std::vector<std::string> code = {".cpp", ".hpp"};

/// Who may include whom. A folder may always include itself; the command line and the tests may include all.
const std::map<std::string, std::vector<std::string>> allowed = {
    {"search/", {}},
    {"tuner/core/", {"search/"}},
    {"kernels/", {"search/", "tuner/core/"}},
    {"tuner/cache/", {"search/", "tuner/core/", "tuner/serialization/archive.hpp"}},
    {"tuner/cuda/", {"search/", "tuner/core/"}},
    {"tuner/process/", {"search/", "tuner/core/"}},
    {"tuner/emulator/", {"search/", "tuner/core/"}},
    {"tuner/definition/", {"search/", "tuner/core/"}},
    {"tuner/online/", {"search/", "tuner/core/"}},
    {"tuner/replay/", {"search/", "tuner/core/"}},
    // How a run is put together, for the command line and the library.
    {"tuner/run/",
     {"search/", "tuner/core/", "tuner/cache/", "tuner/process/", "lookup/src/paths.hpp", "db/"}},
    // The library: its headers (include/) name each other with <> and nothing of ours.
    {"tuner/api/",
     {"search/", "tuner/core/", "tuner/cache/", "tuner/cuda/", "tuner/definition/", "tuner/emulator/",
      "tuner/online/", "tuner/run/", "db/"}},
    // What programs link depends on nothing of ours.
    {"tuner/lookup/", {}},
    {"db/", {"search/", "tuner/core/", "tuner/lookup/"}},
    // The read side of the database only.
    {"reports/",
     {"search/", "tuner/core/", "db/read/queries.hpp", "db/read/run_details.hpp", "db/read/best.hpp",
      "db/store/database.hpp"}},
};

const std::pair<const std::string, std::vector<std::string>>* rule_for(const std::string& file) {
  for (const auto& rule : allowed)
    if (file.starts_with(rule.first)) return &rule;
  return nullptr;
}

TEST(Structure, FoldersIncludeOnlyWhatTheyMay) {
  int seen = 0;
  for (const SourceText& file : source_files(code)) {
    const auto* rule = rule_for(file.name);
    if (rule == nullptr) continue;
    for (const std::string& include : quoted_includes(file)) {
      ++seen;
      const bool own = include.starts_with(rule->first);
      const bool may = std::ranges::any_of(
          rule->second, [&](const std::string& prefix) { return include.starts_with(prefix); });
      EXPECT_TRUE(own || may) << file.name << " includes " << include;
    }
  }
  EXPECT_GT(seen, 100) << "the includes were not found";
}

TEST(Structure, HeadersOfTheLibraryIncludeNothingOfTheInside) {
  int seen = 0;
  for (const SourceText& file : source_files({".hpp"})) {
    if (!file.name.starts_with("tuner/api/include/")) continue;
    ++seen;
    EXPECT_EQ(quoted_includes(file), std::vector<std::string>{}) << file.name;
    for (const std::string& line : file.lines)
      for (const char* header :
           {"<tl/", "<fmt/", "<nlohmann", "<Eigen", "<cuda", "<SQLite", "<span>", "<concepts>"})
        EXPECT_EQ(line.find(header), std::string::npos) << file.name << ": " << line;
  }
  EXPECT_GE(seen, 4);
}

TEST(Structure, EveryFolderOfTheProgramHasARule) {
  for (const SourceText& file : source_files(code)) {
    const bool free = file.name.starts_with("tuner/cli/") || file.name.starts_with("tests/") ||
                      file.name.starts_with("bench/") || file.name.starts_with("examples/");
    EXPECT_TRUE(free || rule_for(file.name) != nullptr) << file.name;
  }
}

// search knows no CUDA, SQL, file, clock or global random generator.
TEST(Structure, SearchUsesOnlyComputation) {
  for (const SourceText& file : source_files(code)) {
    if (!file.name.starts_with("search/")) continue;
    for (const std::string& line : file.lines)
      for (const char* header : {"<fstream>", "<filesystem>", "<chrono>", "<ctime>", "<thread>", "<iostream>",
                                 "<cuda", "std::random_device", "SQLite"})
        EXPECT_EQ(line.find(header), std::string::npos) << file.name << ": " << line;
  }
}

TEST(Structure, FilesStayShort) {
  constexpr std::size_t most = 400;
  std::vector<std::string> endings = code;
  endings.insert(endings.end(), {".cu", ".cuh"});
  for (const SourceText& file : source_files(endings))
    EXPECT_LE(file.lines.size(), most) << file.name << " holds more than one concept";
}

// So that every header is compiled with nothing before it.
TEST(Structure, SourcesIncludeTheirHeaderFirst) {
  std::set<std::string> headers;
  for (const SourceText& file : source_files({".hpp"})) headers.insert(file.name);
  int seen = 0;
  for (const SourceText& file : source_files({".cpp"})) {
    const std::string header = file.name.substr(0, file.name.size() - 3) + "hpp";
    if (!headers.contains(header)) continue;
    ++seen;
    const auto first = std::ranges::find_if(
        file.lines, [](const std::string& line) { return line.starts_with("#include"); });
    ASSERT_NE(first, file.lines.end()) << file.name;
    EXPECT_EQ(*first, "#include \"" + header + "\"") << file.name;
  }
  EXPECT_GT(seen, 200);
}

TEST(Structure, EveryFileNamesItsLicence) {
  std::vector<std::string> endings = code;
  endings.insert(endings.end(), {".cu", ".cuh"});
  for (const SourceText& file : source_files(endings)) {
    ASSERT_FALSE(file.lines.empty()) << file.name;
    EXPECT_EQ(file.lines.front(), "// SPDX-License-Identifier: Apache-2.0") << file.name;
  }
}

TEST(Structure, HeadersAreGuarded) {
  for (const SourceText& file : source_files({".hpp", ".cuh"}))
    EXPECT_NE(std::ranges::find(file.lines, "#pragma once"), file.lines.end()) << file.name;
}

}  // namespace
}  // namespace tune::testing
