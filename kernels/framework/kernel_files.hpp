// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Names (`stencil/direct.cu`) and texts of the kernel files as they were when the program was built, which
/// writes this function.
std::span<const std::pair<std::string_view, std::string_view>> embedded_kernels();

/// The kernel files of a family: those of its folder and what they include of kernels/common. Which file
/// includes which says its text alone (`#include "x.cuh"`); what is none of them is generated.
class KernelFiles {
 public:
  /// `last`: names that come last, in this order; `without`: files of the folder that no plan of a
  /// configuration uses.
  explicit KernelFiles(std::string folder, std::vector<std::string> last = {},
                       const std::vector<std::string>& without = {});

  /// Sorted but for the last ones. The hash of a problem's sources covers the order: it must stay.
  const std::vector<std::string>& names() const { return names_; }

  /// Returns these files (`async.cu`) and what they include, in the order of names(). `sources`: whose texts
  /// say what; null: those that the program was built with.
  std::vector<std::string> with_included(const std::vector<std::string_view>& files,
                                         const KernelSources* sources = nullptr) const;

  /// Returns the request for `file` with `generated` headers first and then all that it includes, in the
  /// order of names().
  CompileRequest request(std::string_view file, const KernelSources& sources,
                         std::vector<SourceFile> generated = {}) const;

 private:
  std::string folder_;
  std::vector<std::string> names_;
};

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
