// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

struct CUstream_st;  // what a cudaStream_t points to

namespace tune::cuda {

/// The results of cuFFT's functions that are distinguished here.
enum CufftStatus : int { cufft_success = 0, cufft_alloc_failed = 2 };

/// The kinds of transforms of real numbers: float or double, forward or inverse.
enum CufftType : int { cufft_r2c = 0x2a, cufft_c2r = 0x2c, cufft_d2z = 0x6a, cufft_z2d = 0x6c };

/// The functions of cuFFT that are used, with its C prototypes; a plan is a number. They are found at run
/// time: neither building nor starting the program needs cuFFT. Tests fill the table with their own
/// functions.
struct CufftLibrary {
  int (*create)(int* plan) = nullptr;
  int (*destroy)(int plan) = nullptr;
  int (*set_auto_allocation)(int plan, int automatic) = nullptr;
  int (*make_plan_many)(int plan, int rank, long long* extents, long long* input_embed,
                        long long input_stride, long long input_distance, long long* output_embed,
                        long long output_stride, long long output_distance, int type, long long batch,
                        std::size_t* work_bytes) = nullptr;
  int (*set_work_area)(int plan, void* memory) = nullptr;
  int (*set_stream)(int plan, CUstream_st* stream) = nullptr;
  int (*execute_r2c)(int plan, void* input, void* output) = nullptr;
  int (*execute_c2r)(int plan, void* input, void* output) = nullptr;
  int (*execute_d2z)(int plan, void* input, void* output) = nullptr;
  int (*execute_z2d)(int plan, void* input, void* output) = nullptr;
  std::shared_ptr<void> handle;  ///< keeps the shared object loaded
  std::string path;              ///< of the shared object
};

/// Returns file names to try, in order: by the system's loader, then in $CUDA_HOME, $CUDA_PATH and
/// /usr/local/cuda; the newest version that a driver for this major version of CUDA supports first.
std::vector<std::string> cufft_candidates(int cuda_major);

/// Opens the first candidate that can be opened and has all functions. Null where there is none:
/// `failure_reason` (may be null) then names what to install, in one line.
std::shared_ptr<const CufftLibrary> open_cufft(std::string* failure_reason,
                                               const std::vector<std::string>& candidates);

/// Returns `CUFFT_ALLOC_FAILED`, or the number of a status without a name here.
std::string cufft_status_text(int status);

}  // namespace tune::cuda
