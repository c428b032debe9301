// SPDX-License-Identifier: Apache-2.0
#include "tuner/cli/paths.hpp"

#include <algorithm>
#include <cstdlib>

#include "tuner/core/error.hpp"

namespace tune::cli {
namespace {

std::filesystem::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

std::filesystem::path recordings_folder() {
  const std::filesystem::path named = from_environment("TUNE_RECORDINGS");
  if (!named.empty()) return named;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path()
               : program.parent_path().parent_path() / "share" / "tune" / "recordings";
}

}  // namespace

std::filesystem::path database_path(const std::string& given) {
  if (!given.empty()) return given;
  if (auto path = from_environment("TUNE_DB"); !path.empty()) return path;
  if (auto path = from_environment("XDG_DATA_HOME"); !path.empty()) return path / "tune" / "results.db";
  if (auto path = from_environment("HOME"); !path.empty())
    return path / ".local" / "share" / "tune" / "results.db";
  throw Error("no place for the database: HOME is not set; name one with --db PATH");
}

std::filesystem::path cache_folder(const std::string& given) {
  if (!given.empty()) return given;
  if (auto path = from_environment("TUNE_CACHE_DIR"); !path.empty()) return path;
  if (auto path = from_environment("XDG_CACHE_HOME"); !path.empty()) return path / "tune" / "binaries";
  if (auto path = from_environment("HOME"); !path.empty()) return path / ".cache" / "tune" / "binaries";
  return {};
}

std::vector<std::filesystem::path> shipped_recordings() {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(recordings_folder(), error))
    if (entry.path().extension() == ".db") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace tune::cli
