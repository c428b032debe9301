// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/source_tree.hpp"

#include <algorithm>
#include <fstream>

namespace tune::testing {

std::vector<SourceText> source_files(const std::vector<std::string>& endings) {
  const std::filesystem::path root = TUNE_SOURCE_DIR;
  std::vector<SourceText> files;
  for (const char* folder : {"search", "tuner", "kernels", "db", "reports", "tests", "bench"}) {
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

std::vector<std::string> quoted_includes(const SourceText& file) {
  constexpr std::string_view start = "#include \"";
  std::vector<std::string> includes;
  for (const std::string& line : file.lines)
    if (line.starts_with(start))
      includes.push_back(line.substr(start.size(), line.find('"', start.size()) - start.size()));
  return includes;
}

}  // namespace tune::testing
