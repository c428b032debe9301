// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tuner/plan/includes.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// Knows the files on disk that a compile may include, by their contents. Remembers what it read as long as a
/// file's size, times and inode stay the same. Safe for several threads.
class IncludedFiles {
 public:
  /// Returns a digest of the contents of all files that the request's texts may include, directly and through
  /// others, and of the names for which there is no file; empty where the request has all texts itself.
  /// Conditions are not evaluated, so files that no compile reads count too. Where a file includes what a
  /// macro says, every file of the folders counts. Independent of where the folders lie.
  ///
  /// `folders` are those that the compiler searches, in order; `own`: names that it takes from memory; `known`:
  /// the folders of the host's compiler among them. Of these never every file counts.
  /// Nothing where the files cannot be known: too many or too large, or a macro in the request's own texts.
  std::optional<std::string> digest(const CompileRequest& request, const std::vector<std::string>& names,
                                    const std::vector<std::string>& folders,
                                    const std::vector<std::string>& own,
                                    const std::vector<std::string>& known = {});

  struct Known;  ///< a file that was read

 private:
  class Walk;
  /// Null where there is no regular file of a usual size.
  std::shared_ptr<const Known> read(const std::filesystem::path& path);

  std::mutex mutex_;
  std::map<std::filesystem::path, std::shared_ptr<const Known>> known_;
};

}  // namespace tune::cuda
