// SPDX-License-Identifier: Apache-2.0
// Headers that kernels include in angle brackets. NVRTC has none of them, and kernels written for nvcc
// include many that they do not need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// To be raised when the texts of headers change that compilers are given: kept binaries and failures are
/// those of other texts then.
inline constexpr int headers_revision = 6;

/// The headers of a request that it does not contain itself.
struct OtherHeaders {
  /// Texts for those that NVRTC would not find: standard headers (`stdint.h`, `cuda_runtime.h`, `cfloat`,
  /// `type_traits`, ...) with the declarations that kernels use, or those of libcu++; `hip/hip_runtime.h`;
  /// and the report of its absence for one in quotation marks that would be found in the working directory.
  std::vector<SourceFile> texts;
  /// Of `texts`, those to include before the source: it uses a name that nvcc has in every file (`INFINITY`,
  /// `INT_MAX`, `uint`).
  std::vector<std::string> first;
  /// The include folders of NVRTC's toolkit where one of its headers is included (cuda_fp16.h, mma.h); else
  /// none.
  std::vector<std::string> folders;
  /// Names of the toolkit's headers that `texts` include.
  std::vector<std::string> included;
};

/// `library`: the file of NVRTC.
OtherHeaders other_headers(const CompileRequest& request, const std::string& library);

/// True for the names of headers that have a text of ours: standard headers and those that kernels do not
/// need.
bool is_known_header(const std::string& name);

/// What NVRTC's options say about files that it reads.
struct FileOptions {
  std::vector<std::string> folders;   ///< that it searches (`-I`), in order
  std::vector<std::string> included;  ///< names of files that it includes first
};

/// Nothing where an option makes it read or write files of another kind (precompiled headers, traces).
std::optional<FileOptions> file_options(const std::vector<std::string>& options);

}  // namespace tune::cuda
