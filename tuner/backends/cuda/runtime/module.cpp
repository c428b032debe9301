// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runtime/module.hpp"

#if CUDART_VERSION < 12080
#include <cuda.h>
#endif

namespace tune::cuda {

#if CUDART_VERSION >= 12080

cudaError_t unload_module(CUlib_st* library) {
  return cudaLibraryUnload(library);
}

cudaError_t load_module(Module& module, std::span<const std::byte> image) {
  cudaLibrary_t library = nullptr;
  const auto status = cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (status == cudaSuccess) module = Module(library);
  return status;
}

cudaError_t find_kernel(cudaKernel_t& kernel, const Module& module, const std::string& symbol) {
  return cudaLibraryGetKernel(&kernel, module.get(), symbol.c_str());
}

cudaError_t find_variable(void*& address, std::size_t& bytes, const Module& module, const std::string& name) {
  address = nullptr;
  const auto status = cudaLibraryGetGlobal(&address, &bytes, module.get(), name.c_str());
  if (status != cudaErrorSymbolNotFound) return status;
  static_cast<void>(cudaGetLastError());
  address = nullptr;
  return cudaSuccess;
}

#else  // The runtime has these functions from 12.8 on. Before, it hands out the driver's, whose kernels are
       // the same handles and whose error numbers are its own.

namespace {

/// Null where the driver lacks the function.
template<class Function>
Function* driver_function(const char* name) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found));
  return reinterpret_cast<Function*>(address);
}

}  // namespace

cudaError_t unload_module(CUlib_st* library) {
  auto* const unload = driver_function<decltype(cuLibraryUnload)>("cuLibraryUnload");
  return unload == nullptr ? cudaErrorNotSupported : static_cast<cudaError_t>(unload(library));
}

cudaError_t load_module(Module& module, std::span<const std::byte> image) {
  auto* const load = driver_function<decltype(cuLibraryLoadData)>("cuLibraryLoadData");
  if (load == nullptr) return cudaErrorNotSupported;
  CUlib_st* library = nullptr;
  const auto status =
      static_cast<cudaError_t>(load(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  if (status == cudaSuccess) module = Module(library);
  return status;
}

cudaError_t find_kernel(cudaKernel_t& kernel, const Module& module, const std::string& symbol) {
  auto* const get = driver_function<decltype(cuLibraryGetKernel)>("cuLibraryGetKernel");
  if (get == nullptr) return cudaErrorNotSupported;
  return static_cast<cudaError_t>(get(&kernel, module.get(), symbol.c_str()));
}

cudaError_t find_variable(void*& address, std::size_t& bytes, const Module& module, const std::string& name) {
  auto* const get = driver_function<decltype(cuLibraryGetGlobal)>("cuLibraryGetGlobal");
  if (get == nullptr) return cudaErrorNotSupported;
  CUdeviceptr found = 0;
  const auto status = static_cast<cudaError_t>(get(&found, &bytes, module.get(), name.c_str()));
  address = status == cudaSuccess ? reinterpret_cast<void*>(found) : nullptr;
  return status == cudaErrorSymbolNotFound ? cudaSuccess : status;
}

#endif

}  // namespace tune::cuda
