// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string>

#include "tuner/backends/cuda/runtime/handles.hpp"

struct CUlib_st;  // what CUlibrary points to

namespace tune::cuda {

cudaError_t unload_module(CUlib_st* library);

/// Owns device code that was loaded from a cubin.
using Module = Handle<CUlib_st*, &unload_module>;

/// Loads a cubin and copies its bytes.
cudaError_t load_module(Module& module, std::span<const std::byte> image);

/// Finds the kernel of a lowered name; it lives as long as the module.
cudaError_t find_kernel(cudaKernel_t& kernel, const Module& module, const std::string& symbol);

/// Finds a `__constant__` or `__device__` variable by its lowered name.
cudaError_t find_variable(void*& address, std::size_t& bytes, const Module& module, const std::string& name);

/// Returns the handle as the runtime's functions on kernels take it.
inline const void* as_function(cudaKernel_t kernel) {
  return static_cast<const void*>(kernel);
}

}  // namespace tune::cuda
