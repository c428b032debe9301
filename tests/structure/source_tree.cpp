// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/source_tree.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tune::testing {

std::vector<SourceText> source_files(const std::vector<std::string>& endings) {
  const std::filesystem::path root = TUNE_SOURCE_DIR;
  std::vector<SourceText> files;
  for (const char* folder :
       {"search", "tuner", "kernels", "db", "lookup", "library", "reports", "cli", "tests", "bench"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (std::ranges::find(endings, entry.path().extension().string()) == endings.end()) continue;
      SourceText file{std::filesystem::relative(entry.path(), root).generic_string(), {}};
      std::ifstream stream(entry.path());
      for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
      files.push_back(std::move(file));
    }
  }
  std::ranges::sort(files, {}, &SourceText::name);
  return files;
}

namespace {

/// The texts between backticks.
std::vector<std::string> quoted_names(const std::string& cell) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while ((begin = cell.find('`', begin)) != std::string::npos) {
    const std::size_t end = cell.find('`', begin + 1);
    if (end == std::string::npos) break;
    names.push_back(cell.substr(begin + 1, end - begin - 1));
    begin = end + 1;
  }
  return names;
}

}  // namespace

std::vector<Room> designed_rooms() {
  std::ifstream page(std::filesystem::path(TUNE_SOURCE_DIR) / "docs/design.md");
  std::vector<Room> rooms;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| folder |")) inside = true;
    if (!line.starts_with("|")) inside = false;
    if (!inside || !line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    if (cells.size() != 3) throw std::runtime_error("a row of the table of folders has three cells: " + line);
    rooms.push_back({quoted_names(cells[0]).at(0), quoted_names(cells[2])});
  }
  if (rooms.empty()) throw std::runtime_error("docs/design.md has no table of folders");
  return rooms;
}

std::vector<std::string> quoted_includes(const SourceText& file) {
  constexpr std::string_view start = "#include \"";
  std::vector<std::string> includes;
  for (const std::string& line : file.lines)
    if (line.starts_with(start))
      includes.push_back(line.substr(start.size(), line.find('"', start.size()) - start.size()));
  return includes;
}

std::string room_of(const std::string& file) {
  return file.substr(0, file.rfind('/'));
}

std::size_t row_of(const std::vector<Room>& rooms, const std::string& folder) {
  auto row = std::ranges::find(rooms, folder, &Room::folder);
  if (row == rooms.end()) row = std::ranges::find(rooms, room_of(folder) + "/*", &Room::folder);
  return static_cast<std::size_t>(row - rooms.begin());
}

std::vector<std::string> refused_includes(const std::vector<Room>& rooms, const SourceText& file) {
  const auto top_of = [](const std::string& path) { return path.substr(0, path.find('/')); };
  std::vector<std::string> refused;
  const std::size_t row = row_of(rooms, room_of(file.name));
  if (row == rooms.size()) return refused;
  for (const std::string& include : quoted_includes(file)) {
    const std::size_t other = row_of(rooms, room_of(include));
    if (other < row) refused.push_back(file.name + " includes " + include + ", which lies further up");
    if (other == rooms.size() || top_of(include) == top_of(file.name)) continue;
    const bool may = std::ranges::any_of(rooms[row].others, [&](const std::string& path) {
      return include == path || include.starts_with(path + "/");
    });
    if (!may) refused.push_back(file.name + " includes " + include + ", which its row does not allow");
  }
  return refused;
}

}  // namespace tune::testing
