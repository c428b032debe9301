// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <system_error>

#include "tuner/base/file.hpp"

namespace tune::db {

/// A new database under a temporary name of its own: removed with this object unless it is completed. For
/// the .cpp files of this folder only.
class Unfinished {
 public:
  /// Removes what killed processes left of this target. Throws std::filesystem::filesystem_error.
  explicit Unfinished(const std::filesystem::path& target) : file_(target) { check(file_.error()); }

  const std::filesystem::path& path() const { return file_.path(); }
  /// Gives the complete file its name, in one step. Throws std::filesystem::filesystem_error.
  void complete() { check(file_.complete()); }

 private:
  void check(std::error_code error) const {
    if (error) throw std::filesystem::filesystem_error("cannot be written", file_.path(), error);
  }

  UnfinishedFile file_;
};

}  // namespace tune::db
