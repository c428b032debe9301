// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/scratch_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <ctime>
#include <string>
#include <system_error>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = "lock";
/// A folder without a lock is about to get one, unless it is older [s].
constexpr std::time_t time_to_lock = 60;

FileDescriptor locked_file(const fs::path& file, int flags) {
  FileDescriptor lock(open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
  if (lock && flock(lock.get(), LOCK_EX | LOCK_NB) != 0) lock.close();
  return lock;
}

/// True for a folder of this user whose process has ended.
bool is_left_behind(const fs::path& folder) {
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
    return false;
  std::error_code ignored;
  if (fs::exists(folder / lock_name, ignored)) return bool(locked_file(folder / lock_name, 0));
  return status.st_mtime < std::time(nullptr) - time_to_lock;
}

void remove_leftovers(const fs::path& where, std::string_view prefix) {
  std::error_code error;
  for (fs::directory_iterator at(where, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->path().filename().string().starts_with(prefix) && is_left_behind(at->path()))
      fs::remove_all(at->path(), ignored);
  }
}

}  // namespace

ScratchFolder::ScratchFolder(std::string_view prefix) {
  std::error_code error;
  const fs::path where = fs::temp_directory_path(error);
  if (error) throw Error("TMPDIR is not the name of a folder: name one there, for temporary files");
  remove_leftovers(where, prefix);
  // Another process may take a new folder for a leftover between its making and its lock: then makes another.
  for (int attempt = 0; attempt < 10 && !lock_; ++attempt) {
    std::string name = (where / (std::string(prefix) + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr) break;
    path_ = name;
    lock_ = locked_file(path_ / lock_name, O_CREAT | O_EXCL);
    std::error_code ignored;
    if (!fs::exists(path_ / lock_name, ignored)) lock_.close();
  }
  if (!lock_) throw Error(format("cannot make a folder in '{}': TMPDIR names another place", where.string()));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace tune
