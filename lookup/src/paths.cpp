// SPDX-License-Identifier: Apache-2.0
#include "lookup/src/paths.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace tune::lookup {
namespace fs = std::filesystem;
namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

fs::path recordings_in(const fs::path& prefix) {
  return prefix.empty() ? prefix : prefix / "share" / "tune" / "recordings";
}

fs::path this_library() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&default_database), &info) == 0 || info.dli_fname == nullptr)
    return {};
  std::error_code error;
  const fs::path file = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : file;
}

}  // namespace

std::optional<std::string> default_database() {
  if (auto path = from_environment("TUNE_DB"); !path.empty()) return path;
  if (auto path = from_environment("XDG_DATA_HOME"); !path.empty()) return path + "/tune/results.db";
  if (auto path = from_environment("HOME"); !path.empty()) return path + "/.local/share/tune/results.db";
  return std::nullopt;
}

std::vector<std::string> databases_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".db") files.push_back(entry->path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> recording_places(const std::string& installed) {
  std::error_code error;
  if (std::string named = from_environment("TUNE_RECORDINGS"); !named.empty()) return {std::move(named)};
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path library = this_library();
  // <prefix>/lib, or one folder deeper where the system keeps libraries by architecture.
  const fs::path libraries = library == program ? fs::path() : library.parent_path();
  std::vector<std::string> places;
  for (const fs::path& place :
       {recordings_in(program.parent_path().parent_path()), recordings_in(libraries.parent_path()),
        recordings_in(libraries.parent_path().parent_path()), recordings_in(installed),
        fs::path(TUNE_LOOKUP_RECORDINGS)})
    if (!place.empty() && std::find(places.begin(), places.end(), place.string()) == places.end())
      places.push_back(place.string());
  return places;
}

std::vector<std::string> default_recordings(const std::string& installed) {
  for (const std::string& place : recording_places(installed)) {
    std::error_code error;
    if (fs::is_regular_file(place, error)) return {place};
    if (auto files = databases_in(place); !files.empty()) return files;
  }
  return {};
}

}  // namespace tune::lookup
