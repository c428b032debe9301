// SPDX-License-Identifier: Apache-2.0
// Headers that kernels name in angle brackets. NVRTC has none: what kernels of files compiled by nvcc include
// out of habit must not keep them from being compiled.
#pragma once

#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune::cuda {

/// Those standard headers (`stdint.h`, `cuda_runtime.h`, `cfloat`, ...) that the request's texts include and
/// the request lacks: with what they declare that kernels use; many are empty, since NVRTC knows it by
/// itself.
std::vector<SourceFile> standard_headers(const CompileRequest& request);

/// The folders of headers of the toolkit that NVRTC belongs to, where the request's texts include one of them
/// (cuda_fp16.h, mma.h, cooperative_groups.h); else none. `library`: the file of NVRTC.
std::vector<std::string> toolkit_folders(const CompileRequest& request, const std::string& library);

}  // namespace tune::cuda
