// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tune::cuda {

/// NVRTC's program handle, opaque.
using NvrtcProgram = struct NvrtcProgramTag*;

/// Results of NVRTC's functions that are told apart here.
enum NvrtcStatus : int { nvrtc_success = 0, nvrtc_invalid_option = 5, nvrtc_compilation_failed = 6 };

/// The functions of NVRTC that are used, with its C prototypes. They are declared here and found at run time:
/// neither building nor starting the program needs NVRTC. A test fills the table with functions of its own.
struct NvrtcLibrary {
  const char* (*get_error_string)(int status) = nullptr;
  int (*version)(int* major, int* minor) = nullptr;
  int (*get_num_supported_archs)(int* count) = nullptr;
  int (*get_supported_archs)(int* archs) = nullptr;
  int (*create_program)(NvrtcProgram* program, const char* source, const char* name, int header_count,
                        const char* const* headers, const char* const* header_names) = nullptr;
  int (*destroy_program)(NvrtcProgram* program) = nullptr;
  int (*add_name_expression)(NvrtcProgram program, const char* expression) = nullptr;
  int (*compile_program)(NvrtcProgram program, int option_count, const char* const* options) = nullptr;
  int (*get_lowered_name)(NvrtcProgram program, const char* expression, const char** lowered) = nullptr;
  int (*get_program_log_size)(NvrtcProgram program, std::size_t* size) = nullptr;
  int (*get_program_log)(NvrtcProgram program, char* log) = nullptr;
  int (*get_cubin_size)(NvrtcProgram program, std::size_t* size) = nullptr;
  int (*get_cubin)(NvrtcProgram program, char* image) = nullptr;
  std::shared_ptr<void> handle;  ///< keeps the shared object loaded
  std::string path;              ///< of the shared object

  /// Tells builds of the library apart: the build id that its linker gave it, else size and time of its file;
  /// empty where neither can be told.
  std::string build() const;
};

/// File names to try, in order: what the system's loader finds, then $CUDA_HOME, $CUDA_PATH and
/// /usr/local/cuda; the newest version first.
std::vector<std::string> nvrtc_candidates();

/// Opens the first candidate that can be opened and has all functions. Null where there is none:
/// `failure_reason` (may be null) then says what to install, in one line.
std::shared_ptr<const NvrtcLibrary> open_nvrtc(
    std::string* failure_reason, const std::vector<std::string>& candidates = nvrtc_candidates());

}  // namespace tune::cuda
