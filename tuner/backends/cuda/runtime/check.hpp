// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {

/// `an illegal memory access was encountered (cudaErrorIllegalAddress)`.
inline std::string describe(cudaError_t status) {
  return format("{} ({})", cudaGetErrorString(status), cudaGetErrorName(status));
}

/// Throws Error for a status that no configuration can cause: the environment is broken, or a call is wrong.
inline void check(cudaError_t status, std::source_location where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // the next call shall not report it again
  std::string file = where.file_name();
  file.erase(0, file.rfind('/') + 1);
  throw Error(format("CUDA: {} at {}:{}", describe(status), file, where.line()));
}

/// For destructors: after a fault every call fails, and freeing what is already gone is no news.
inline void ignore(cudaError_t status) noexcept {
  if (status != cudaSuccess) cudaGetLastError();
}

}  // namespace tune::cuda
