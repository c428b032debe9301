// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/toolkit.hpp"

#include "tuner/backends/cuda/toolkit/nvrtc_compiler.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc_library.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {

std::unique_ptr<Compiler> make_nvrtc_compiler(const std::string& architecture, std::string* failure_reason) {
  const auto nvrtc = open_nvrtc(failure_reason);
  if (nvrtc == nullptr) return nullptr;
  try {
    return std::make_unique<NvrtcCompiler>(nvrtc, architecture);
  } catch (const Error& error) {
    if (failure_reason != nullptr) *failure_reason = error.what();
    return nullptr;
  }
}

std::string toolkit_text() {
  std::string failure_reason;
  const auto nvrtc = open_nvrtc(&failure_reason);
  if (!nvrtc) return format("no NVRTC: {}", failure_reason);
  int major = 0;
  int minor = 0;
  if (nvrtc->version(&major, &minor) != nvrtc_success)
    return format("NVRTC of unknown version in {}", nvrtc->path);
  return format("NVRTC {}.{} in {}", major, minor, nvrtc->path);
}

}  // namespace tune::cuda
