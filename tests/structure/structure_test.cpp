// SPDX-License-Identifier: Apache-2.0
// The rules of the source tree that a compiler does not check.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/structure/source_tree.hpp"

namespace tune::testing {
namespace {

const std::vector<std::string> code = {".cpp", ".hpp"};

const std::vector<std::string> device_code = {".cu", ".cuh"};

bool is_of_the_product(const std::string& file) {
  return !file.starts_with("tests/") && !file.starts_with("bench/");
}

std::string top_of(const std::string& path) {
  return path.substr(0, path.find('/'));
}

/// The files of the product, with device code or without.
std::vector<SourceText> product_files(bool with_device_code) {
  std::vector<std::string> endings = code;
  if (with_device_code) endings.insert(endings.end(), {".cu", ".cuh", ".h"});
  std::vector<SourceText> files = source_files(endings);
  std::erase_if(files, [](const SourceText& file) { return !is_of_the_product(file.name); });
  return files;
}

TEST(Rooms, AreTheRowsOfTheDesign) {
  const std::vector<Room> rooms = designed_rooms();
  std::set<std::string> rows, used;
  for (const SourceText& file : product_files(true)) {
    const std::size_t row = row_of(rooms, room_of(file.name));
    if (row == rooms.size())
      ADD_FAILURE() << file.name << " lies in a folder that has no row";
    else
      used.insert(rooms[row].folder);
  }
  for (const Room& room : rooms) {
    EXPECT_TRUE(rows.insert(room.folder).second) << room.folder << " has two rows";
    EXPECT_TRUE(used.contains(room.folder)) << room.folder << " has a row and no sources";
  }
}

// Down the table alone, so that there is no circle either, and into other folders only where the row allows
// it.
TEST(Rooms, IncludeOnlyWhatLiesBelow) {
  const std::vector<Room> rooms = designed_rooms();
  std::size_t seen = 0;
  std::set<std::pair<std::string, std::string>> beside;  // folders of one row
  for (const SourceText& file : product_files(false)) {
    for (const std::string& refused : refused_includes(rooms, file)) ADD_FAILURE() << refused;
    const std::string folder = room_of(file.name);
    for (const std::string& include : quoted_includes(file)) {
      const std::string other = room_of(include);
      if (row_of(rooms, other) == rooms.size()) continue;  // of a library, or made by the build
      ++seen;
      if (other != folder && row_of(rooms, other) == row_of(rooms, folder)) beside.emplace(folder, other);
    }
  }
  for (const auto& [folder, other] : beside)
    EXPECT_FALSE(beside.contains({other, folder})) << folder << " and " << other << " include each other";
  EXPECT_GT(seen, 1000) << "the includes were not found";
}

TEST(Rooms, OfOneRowAreAllFoldersBesideEachOtherAndNoOthers) {
  const std::vector<Room> rooms = {
      {"cli", {}}, {"kernels/x", {"tuner"}}, {"kernels/x/variants/*", {"tuner"}}, {"tuner", {}}};
  const auto refused = [&](const std::string& include) {
    return refused_includes(rooms, {"kernels/x/variants/new/new.cpp", {"#include \"" + include + "\""}})
        .size();
  };
  EXPECT_EQ(row_of(rooms, "kernels/x/variants/new"), 2u);
  EXPECT_EQ(row_of(rooms, "kernels/x/variants/new/deeper"), rooms.size());
  EXPECT_EQ(row_of(rooms, "kernels/x/variants"), rooms.size());
  EXPECT_EQ(refused("kernels/x/problem.hpp"), 1u) << "an upward include within the top-level folder";
  EXPECT_EQ(refused("cli/main.hpp"), 2u) << "an upward include that the row does not allow either";
  EXPECT_EQ(refused("kernels/x/variants/old/old.hpp"), 0u);
  EXPECT_EQ(refused("tuner/plan.hpp"), 0u);
}

TEST(Rooms, AreSmallEnoughToKnow) {
  constexpr std::size_t max_files = 40;
  constexpr double max_share = 0.4;
  std::map<std::string, std::size_t> files, lines;
  std::size_t all = 0;
  for (const SourceText& file : product_files(true)) {
    ++files[room_of(file.name)];
    lines[top_of(file.name)] += file.lines.size();
    all += file.lines.size();
  }
  for (const SourceText& file : source_files(code))
    if (!is_of_the_product(file.name)) ++files[room_of(file.name)];
  for (const auto& [room, count] : files) EXPECT_LE(count, max_files) << room;
  for (const auto& [folder, count] : lines)
    EXPECT_LE(static_cast<double>(count), max_share * static_cast<double>(all)) << folder;
}

TEST(Structure, HeadersOfTheLibraryIncludeNothingOfTheInside) {
  int seen = 0;
  for (const SourceText& file : source_files({".hpp"})) {
    if (!file.name.starts_with("library/include/")) continue;
    ++seen;
    EXPECT_EQ(quoted_includes(file), std::vector<std::string>{}) << file.name;
    for (const std::string& line : file.lines)
      for (const char* header :
           {"<tl/", "<fmt/", "<nlohmann", "<Eigen", "<cuda", "<SQLite", "<span>", "<concepts>"})
        EXPECT_EQ(line.find(header), std::string::npos) << file.name << ": " << line;
  }
  EXPECT_GE(seen, 4);
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
  constexpr std::size_t max_lines = 600;
  std::vector<std::string> endings = code;
  endings.insert(endings.end(), device_code.begin(), device_code.end());
  for (const SourceText& file : source_files(endings))
    EXPECT_LE(file.lines.size(), max_lines) << file.name << " holds more than one concept";
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

/// What of the standard library needs which header.
const std::vector<std::pair<std::string, std::regex>> standard_names = {
    {"array", std::regex("std::array\\b")},
    {"atomic", std::regex("std::atomic\\b")},
    {"chrono", std::regex("std::chrono\\b")},
    {"cstddef", std::regex("std::(size_t|byte)\\b")},
    {"cstdint", std::regex("std::u?int(8|16|32|64)_t\\b")},
    {"deque", std::regex("std::deque\\b")},
    {"filesystem", std::regex("std::filesystem\\b")},
    {"functional", std::regex("std::function\\b")},
    {"limits", std::regex("std::numeric_limits\\b")},
    {"map", std::regex("std::(multi)?map\\b")},
    {"memory", std::regex("std::((unique|shared|weak)_ptr|make_(unique|shared))\\b")},
    {"mutex", std::regex("std::mutex\\b")},
    {"optional", std::regex("std::(optional|nullopt)\\b")},
    {"set", std::regex("std::(multi)?set\\b")},
    {"span", std::regex("std::span\\b")},
    {"stdexcept", std::regex("std::(runtime_error|logic_error|out_of_range|invalid_argument)\\b")},
    {"string", std::regex("std::string\\b")},
    {"string_view", std::regex("std::string_view\\b")},
    {"thread", std::regex("std::j?thread\\b")},
    {"tuple", std::regex("std::tuple\\b")},
    {"unordered_map", std::regex("std::unordered_map\\b")},
    {"utility", std::regex("std::(pair|move|exchange)\\b")},
    {"variant", std::regex("std::(variant|get_if|holds_alternative|visit)\\b")},
    {"vector", std::regex("std::vector\\b")},
};

// The sources of a room are compiled together, where a header that forgets an include finds it in an earlier
// file, until another file comes first.
TEST(Structure, HeadersIncludeWhatTheyNameOfTheStandardLibrary) {
  int seen = 0;
  for (const SourceText& file : source_files({".hpp"})) {
    std::string text;
    for (const std::string& line : file.lines) text += line.substr(0, line.find("//")) + "\n";
    for (const auto& [header, name] : standard_names) {
      if (!std::regex_search(text, name)) continue;
      ++seen;
      EXPECT_NE(text.find("#include <" + header + ">"), std::string::npos)
          << file.name << " does not include <" << header << ">";
    }
  }
  EXPECT_GT(seen, 1000);
}

TEST(Structure, EveryFileNamesItsLicence) {
  std::vector<std::string> endings = code;
  endings.insert(endings.end(), device_code.begin(), device_code.end());
  for (const SourceText& file : source_files(endings)) {
    ASSERT_FALSE(file.lines.empty()) << file.name;
    EXPECT_EQ(file.lines.front(), "// SPDX-License-Identifier: Apache-2.0") << file.name;
  }
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// The table that bench/rivals/table.py makes of a CSV file without quotes.
std::vector<std::string> table_of(const std::filesystem::path& csv) {
  std::vector<std::string> table;
  for (const std::string& line : lines_of(csv)) {
    if (line.starts_with("#")) continue;
    EXPECT_EQ(line.find('"'), std::string::npos) << csv << " has quotes";
    const std::string row = "| " + std::regex_replace(line, std::regex(","), " | ") + " |";
    table.push_back(row);
    if (table.size() == 1) table.push_back(std::regex_replace(row, std::regex("[^| ]+"), "---"));
  }
  return table;
}

TEST(Docs, TablesAreThoseOfTheirMeasurements) {
  const std::filesystem::path root = TUNE_SOURCE_DIR;
  const std::regex mark("<!-- table: (\\S+) -->");
  for (const auto& page : std::filesystem::recursive_directory_iterator(root / "docs")) {
    if (page.path().extension() != ".md") continue;
    const std::vector<std::string> lines = lines_of(page.path());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::smatch found;
      if (!std::regex_match(lines[i], found, mark)) continue;
      std::vector<std::string> table;
      for (std::size_t row = i + 1; row < lines.size() && lines[row].starts_with("|"); ++row)
        table.push_back(lines[row]);
      EXPECT_EQ(table, table_of(root / found[1].str()))
          << page.path() << ": call bench/rivals/table.py with this page";
    }
  }
}

TEST(Structure, HeadersAreGuarded) {
  for (const SourceText& file : source_files({".hpp", ".cuh"}))
    EXPECT_NE(std::ranges::find(file.lines, "#pragma once"), file.lines.end()) << file.name;
}

}  // namespace
}  // namespace tune::testing
