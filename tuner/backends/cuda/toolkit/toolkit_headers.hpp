// SPDX-License-Identifier: Apache-2.0
// Headers that kernels include in angle brackets. NVRTC has none of them, and kernels written for nvcc
// include many that they do not need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// Returns the standard headers (`stdint.h`, `cuda_runtime.h`, `cfloat`, ...) that the request's texts
/// include and the request lacks, with the declarations that kernels use. Many are empty because NVRTC has
/// these declarations built in.
std::vector<SourceFile> standard_headers(const CompileRequest& request);

/// Returns the include folders of NVRTC's toolkit where the request's texts include one of its headers
/// (cuda_fp16.h, mma.h, cooperative_groups.h); else none. `library`: the file of NVRTC.
std::vector<std::string> toolkit_folders(const CompileRequest& request, const std::string& library);

/// Returns a header that reports its absence for each one in quotation marks that neither the request nor its
/// toolkit has, where NVRTC reads headers from disk and would find it in the working directory.
std::vector<SourceFile> missing_headers(const CompileRequest& request, const std::string& library);

/// What NVRTC's options say about files that it reads.
struct FileOptions {
  std::vector<std::string> folders;   ///< that it searches (`-I`), in order
  std::vector<std::string> included;  ///< names of files that it includes first
};

/// Nothing where an option makes it read or write files of another kind (precompiled headers, traces).
std::optional<FileOptions> file_options(const std::vector<std::string>& options);

}  // namespace tune::cuda
