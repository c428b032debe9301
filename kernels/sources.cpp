// SPDX-License-Identifier: Apache-2.0
#include "kernels/sources.hpp"

#include <fstream>
#include <sstream>

#include "kernels/framework/kernel_files.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {

std::string EmbeddedSources::text(std::string_view name) const {
  for (const auto& [file, text] : embedded_kernels())
    if (file == name) return std::string(text);
  throw Error(format("the program has no kernel file '{}'", name));
}

FolderSources::FolderSources(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (!std::filesystem::is_directory(folder_))
    throw UsageError(format("--kernel-dir: '{}' is not a folder", folder_.string()));
}

std::filesystem::path FolderSources::find(std::string_view name) const {
  const std::filesystem::path direct = folder_ / name;
  if (std::filesystem::exists(direct)) return direct;
  const std::filesystem::path problem = direct.parent_path();
  if (std::filesystem::is_directory(problem))
    for (const auto& entry : std::filesystem::recursive_directory_iterator(problem))
      if (entry.path().filename() == direct.filename()) return entry.path();
  return {};
}

std::string FolderSources::text(std::string_view name) const {
  const std::filesystem::path path = find(name);
  if (path.empty()) return embedded_.text(name);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw Error(format("cannot read '{}'", path.string()));
  return text.str();
}

}  // namespace tune::kernels
