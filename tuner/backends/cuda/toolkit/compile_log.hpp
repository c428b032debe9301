// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tuner/backends/binary.hpp"

namespace tune::cuda {

/// What `ptxas -v` says of every kernel in a log, by mangled name: registers, spills, stack frame
/// (`local_bytes`) and static shared memory. The log is the only source of spills, and of shared memory
/// without the bytes that some architectures reserve (the cubin's section counts those in). Lines that it
/// does not know are passed over; device functions that are no kernels are left out.
std::map<std::string, KernelResources> parse_ptxas_log(std::string_view log);

/// A short word for why a compilation failed: the same for the same cause, so that failures can be counted.
/// `static shared memory`, `static assertion`, `missing header`, `entry`, `option`, `syntax` (any other error
/// in the source) or `compiler`.
std::string compile_failure_reason(std::string_view log);

}  // namespace tune::cuda
