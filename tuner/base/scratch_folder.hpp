// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "tuner/base/file.hpp"

namespace tune {

/// A temporary folder, which the destructor removes. A process that is killed leaves its folder behind; the
/// next one removes it. A folder in use has a locked file, so that no other process takes it for a leftover.
class ScratchFolder {
 public:
  /// Its name begins with `prefix` (`tune-emulator-`); leftovers are those of the same prefix. Throws Error
  /// where no folder can be made.
  explicit ScratchFolder(std::string_view prefix);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  FileDescriptor lock_;
};

}  // namespace tune
