// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <system_error>

namespace tune::db {

/// A new file under a temporary name: removed with this object unless it is completed. For the .cpp files of
/// this folder only.
class Unfinished {
 public:
  /// Removes what a killed process left under that name.
  explicit Unfinished(const std::filesystem::path& target)
      : target_(target), path_(target.string() + ".part") {
    remove();
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() { remove(); }

  const std::filesystem::path& path() const { return path_; }
  /// Gives the complete file its name, in one step. Throws std::filesystem::filesystem_error.
  void complete() const { std::filesystem::rename(path_, target_); }

 private:
  void remove() const {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
      std::filesystem::remove(path_.string() + suffix, ignored);
  }
  std::filesystem::path target_, path_;
};

}  // namespace tune::db
