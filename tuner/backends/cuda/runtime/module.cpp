// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runtime/module.hpp"

#include "tuner/backends/cuda/runtime/driver_functions.hpp"

// The runtime has functions for libraries from 12.8 on, the driver from 12.0 on. Kernels of both are the same
// handles.
namespace tune::cuda {

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
  return status;
}

}  // namespace tune::cuda
