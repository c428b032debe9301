// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "tuner/backends/cuda/runtime/handles.hpp"

namespace tune::cuda {

/// Returns the address of a function that drivers have from CUDA 12.0 on; null where this one lacks it.
/// Linking against the driver would keep the program from starting where there is none.
inline void* driver_address(const char* name) {
  constexpr unsigned since = 12'000;
  void* address = nullptr;
  auto found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  const auto status = cudaGetDriverEntryPointByVersion(name, &address, since, cudaEnableDefault, &found);
#else
  // This runtime returns the function as of its own version, which is newer than `since`.
  static_assert(CUDART_VERSION >= since);
  const auto status = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
#endif
  ignore(status);
  return status == cudaSuccess && found == cudaDriverEntryPointSuccess ? address : nullptr;
}

/// Null where the driver lacks the function. Its error numbers are the runtime's.
template<class Function>
Function* driver_function(const char* name) {
  return reinterpret_cast<Function*>(driver_address(name));
}

}  // namespace tune::cuda
