// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tuner/backends/binary.hpp"

/// CUDA's compiler, which is opened at run time and needs no device.
namespace tune::cuda {

/// A compiler for an architecture such as `sm_90`, without a device. Null where NVRTC is not there or does
/// not know the architecture: `failure_reason` (may be null) then says so in one line.
std::unique_ptr<Compiler> make_nvrtc_compiler(const std::string& architecture, std::string* failure_reason);

/// `NVRTC 13.0 in libnvrtc.so.13`, or what is missing, in one line.
std::string toolkit_text();

}  // namespace tune::cuda
