// SPDX-License-Identifier: Apache-2.0
#include "library/run/paths.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <system_error>

#include "lookup/src/paths.hpp"
#include "tuner/base/error.hpp"

namespace tune::run {
namespace {

std::filesystem::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

}  // namespace

std::filesystem::path database_path(const std::string& given) {
  const auto path = given.empty() ? lookup::default_database() : std::optional(given);
  if (!path) throw Error("HOME is not set: name a database with --db PATH");
  // SQLite keeps such a database in memory: the program would report results as stored, and lose them.
  if (*path == ":memory:") throw UsageError(":memory: is not a database file: name a file with --db");
  return *path;
}

std::filesystem::path cache_folder(const std::string& given) {
  if (!given.empty()) return given;
  if (auto path = from_environment("TUNE_CACHE_DIR"); !path.empty()) return path;
  if (auto path = from_environment("XDG_CACHE_HOME"); !path.empty()) return path / "tune" / "binaries";
  if (auto path = from_environment("HOME"); !path.empty()) return path / ".cache" / "tune" / "binaries";
  return {};
}

std::vector<std::filesystem::path> shipped_recordings(const std::filesystem::path& installed) {
  const std::vector<std::string> files = lookup::default_recordings(installed.string());
  std::vector<std::filesystem::path> recordings(files.begin(), files.end());
  // Where any device will do, the one answers of which most is known.
  std::ranges::stable_sort(recordings, std::greater<>(), [](const std::filesystem::path& file) {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(file, missing);
    return missing ? 0 : bytes;
  });
  return recordings;
}

}  // namespace tune::run
