// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/described/kernel_text.hpp"

namespace tune::described {

/// Rewrites the OpenCL C of a kernel's files as CUDA, line by line, and adds a header with OpenCL's
/// functions. Throws UsageError with file and line for what CUDA has no counterpart of, such as images.
void translate_opencl(KernelText& text);

/// The option of NVRTC with which functions without a qualifier are those of the device.
inline const std::string device_functions_option = "-default-device";

}  // namespace tune::described
