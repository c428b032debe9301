// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/cufft_library.hpp"

#include <array>
#include <utility>

#include "tuner/backends/cuda/toolkit/shared_object.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

bool find_functions(CufftLibrary& cufft) {
  const auto& object = cufft.handle;
  return find_symbol(object, "cufftCreate", cufft.create) &&
         find_symbol(object, "cufftDestroy", cufft.destroy) &&
         find_symbol(object, "cufftSetAutoAllocation", cufft.set_auto_allocation) &&
         find_symbol(object, "cufftMakePlanMany64", cufft.make_plan_many) &&
         find_symbol(object, "cufftSetWorkArea", cufft.set_work_area) &&
         find_symbol(object, "cufftSetStream", cufft.set_stream) &&
         find_symbol(object, "cufftExecR2C", cufft.execute_r2c) &&
         find_symbol(object, "cufftExecC2R", cufft.execute_c2r) &&
         find_symbol(object, "cufftExecD2Z", cufft.execute_d2z) &&
         find_symbol(object, "cufftExecZ2D", cufft.execute_z2d);
}

}  // namespace

std::vector<std::string> cufft_candidates(int cuda_major) {
  // cuFFT's versions are one behind the toolkit's. A newer driver runs older libraries, but not the reverse.
  if (cuda_major >= 13) return toolkit_candidates({"libcufft.so.12", "libcufft.so.11"});
  return toolkit_candidates({"libcufft.so.11"});
}

std::shared_ptr<const CufftLibrary> open_cufft(std::string* failure_reason,
                                               const std::vector<std::string>& candidates) {
  for (const auto& candidate : candidates) {
    auto cufft = std::make_shared<CufftLibrary>();
    cufft->path = candidate;
    cufft->handle = open_shared_object(candidate);
    if (cufft->handle != nullptr && find_functions(*cufft)) return cufft;
  }
  if (failure_reason != nullptr)
    *failure_reason =
        "cuFFT (libcufft.so.12 of CUDA 13, libcufft.so.11 of CUDA 12) was not found: install libcufft of a "
        "CUDA toolkit that the driver supports, or set CUDA_HOME to the toolkit's folder";
  return nullptr;
}

std::string cufft_status_text(int status) {
  constexpr std::array<std::pair<int, const char*>, 18> names{{{0x0, "SUCCESS"},
                                                               {0x1, "INVALID_PLAN"},
                                                               {0x2, "ALLOC_FAILED"},
                                                               {0x3, "INVALID_TYPE"},
                                                               {0x4, "INVALID_VALUE"},
                                                               {0x5, "INTERNAL_ERROR"},
                                                               {0x6, "EXEC_FAILED"},
                                                               {0x7, "SETUP_FAILED"},
                                                               {0x8, "INVALID_SIZE"},
                                                               {0x9, "UNALIGNED_DATA"},
                                                               {0xb, "INVALID_DEVICE"},
                                                               {0xd, "NO_WORKSPACE"},
                                                               {0xe, "NOT_IMPLEMENTED"},
                                                               {0x10, "NOT_SUPPORTED"},
                                                               {0x11, "MISSING_DEPENDENCY"},
                                                               {0x12, "NVRTC_FAILURE"},
                                                               {0x13, "NVJITLINK_FAILURE"},
                                                               {0x14, "NVSHMEM_FAILURE"}}};
  for (const auto& [number, name] : names)
    if (number == status) return format("CUFFT_{}", name);
  return format("cuFFT's status {}", status);
}

}  // namespace tune::cuda
