// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Returns names (`stencil/direct.cu`) and texts of the kernel files in the program. The build writes this
/// function.
std::span<const std::pair<std::string_view, std::string_view>> embedded_kernels();

/// The kernel files of a family: those of its folder and those of kernels/common that they include.
/// Dependencies follow from the lines `#include "x.cuh"`; other names are generated headers.
class KernelFiles {
 public:
  /// `last`: names that come last, in this order; `without`: files of the folder that no plan uses.
  explicit KernelFiles(std::string folder, std::vector<std::string> last = {},
                       const std::vector<std::string>& without = {});

  /// Returns the names, sorted but for the last ones. The hash of a problem's sources covers the order: it
  /// must stay.
  const std::vector<std::string>& names() const { return names_; }

  /// Returns these files (`async.cu`) and what they include, in the order of names(). `sources` has their
  /// texts; null: those in the program.
  std::vector<std::string> with_included(const std::vector<std::string_view>& files,
                                         const KernelSources* sources = nullptr) const;

  /// Returns the request for `file`: `generated` headers, then the included ones in the order of names().
  CompileRequest request(std::string_view file, const KernelSources& sources,
                         std::vector<SourceFile> generated = {}) const;

 private:
  std::string folder_;
  std::vector<std::string> names_;
};

/// The kernel files in the program.
class EmbeddedSources : public KernelSources {
 public:
  std::string text(std::string_view name) const override;
};

/// Kernel files in a folder with the layout of `kernels/`, or with all files of a problem in one folder;
/// missing files come from the program. A kernel can thus be changed without a build.
class FolderSources : public KernelSources {
 public:
  /// Throws UsageError if the folder does not exist.
  explicit FolderSources(std::filesystem::path folder);
  std::string text(std::string_view name) const override;

 private:
  /// Returns an empty path if the folder has no such file.
  std::filesystem::path find(std::string_view name) const;

  std::filesystem::path folder_;
  EmbeddedSources embedded_;
};

}  // namespace tune::kernels
