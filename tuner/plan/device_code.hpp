// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// True where `[=] __device__ (int i) { ... }` stands in the text, which NVRTC does not take, and nvcc with
/// --extended-lambda.
bool has_extended_lambda(std::string_view text);

/// Puts spaces in the place of what only the host uses: functions, variables and types of namespaces without
/// a word of CUDA in them (`__global__`, `__device__`, `__constant__`, ...; by way of macros, too) that
/// nothing with such a word mentions, directly or through others. What cannot be told stays, and all where an
/// option makes it code of the device (`-default-device`). Directives and line numbers stay as they are.
/// Takes linear time.
void leave_out_host_code(CompileRequest& request);

}  // namespace tune
