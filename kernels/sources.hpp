// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// The kernel files as they were when the program was built.
class EmbeddedSources : public KernelSources {
 public:
  std::string text(std::string_view name) const override;
};

/// Kernel files of a folder with the layout of `kernels/`, or with all files of a problem in one folder; a
/// file that is not there comes from the program. For who works on a kernel: no build between two trials.
class FolderSources : public KernelSources {
 public:
  /// Throws Error where the folder does not exist.
  explicit FolderSources(std::filesystem::path folder);
  std::string text(std::string_view name) const override;

 private:
  /// Empty where the folder has no such file.
  std::filesystem::path find(std::string_view name) const;

  std::filesystem::path folder_;
  EmbeddedSources embedded_;
};

}  // namespace tune::kernels
