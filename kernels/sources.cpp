// SPDX-License-Identifier: Apache-2.0
#include "kernels/sources.hpp"

#include <fstream>
#include <sstream>

#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"

namespace tune::kernels {

// Made at build time from the .cu files.
std::span<const std::pair<std::string_view, std::string_view>> embedded_kernels();

std::string EmbeddedSources::text(std::string_view name) const {
  for (const auto& [file, text] : embedded_kernels())
    if (file == name) return std::string(text);
  throw Error(format("the program has no kernel file '{}'", name));
}

FolderSources::FolderSources(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (!std::filesystem::is_directory(folder_))
    throw UsageError(format("--kernel-dir: '{}' is not a folder", folder_.string()));
}

std::string FolderSources::text(std::string_view name) const {
  const std::filesystem::path path = folder_ / name;
  if (!std::filesystem::exists(path)) return embedded_.text(name);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw Error(format("cannot read '{}'", path.string()));
  return text.str();
}

}  // namespace tune::kernels
