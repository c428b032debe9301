// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/backends/binary.hpp"
#include "tuner/backends/cuda/toolkit/included_files.hpp"

namespace tune::cuda {

/// NVRTC's program handle.
using NvrtcProgram = struct NvrtcProgramTag*;

/// The results of NVRTC's functions that are distinguished here.
enum NvrtcStatus : int { nvrtc_success = 0, nvrtc_invalid_option = 5, nvrtc_compilation_failed = 6 };

/// The functions of NVRTC that are used, with its C prototypes. They are found at run time: neither building
/// nor starting the program needs NVRTC. Tests fill the table with their own functions.
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

  /// Identifies the build of the library: its linker's build id, else size and time of its file; empty where
  /// both are unknown.
  std::string build() const;
};

/// Returns the major version of CUDA that the driver of this machine supports; 0 where there is no driver.
int driver_cuda_major();

/// Returns file names to try, in order: by the system's loader, then in $CUDA_HOME, $CUDA_PATH and
/// /usr/local/cuda; the newest version first. Binaries of versions that the driver does not support can be
/// made but not loaded: these versions come last. Without a driver (0) nothing is loaded.
std::vector<std::string> nvrtc_candidates(int driver_major = driver_cuda_major());

/// Opens the first candidate that can be opened and has all functions. Null where there is none:
/// `failure_reason` (may be null) then names what to install, in one line.
std::shared_ptr<const NvrtcLibrary> open_nvrtc(
    std::string* failure_reason, const std::vector<std::string>& candidates = nvrtc_candidates());

/// Returns the option for the language's standard where the options name none: C++17, as nvcc has it; empty
/// where they do.
std::string default_standard(const std::vector<std::string>& options);

/// Reads the output of `ptxas -v` for every kernel in a log, by mangled name: registers, spills, stack frame
/// (`local_bytes`) and static shared memory. The log is the only source of spills, and of shared memory
/// without the bytes that some architectures reserve (the cubin's section includes those). Ignores unknown
/// lines and device functions that are not kernels.
std::map<std::string, KernelResources> parse_ptxas_log(std::string_view log);

/// Returns why a compilation failed, as a Failure's reason: `static shared memory`, `static assertion`,
/// `missing header`, `entry`, `option`, `syntax` (any other error in the source) or `compiler`.
std::string compile_failure_reason(std::string_view log);

/// Returns the detail of that failure: the log, with the place and the cure before it where ptxas alone knows
/// what is wrong.
std::string compile_failure_detail(std::string_view log, const CompileRequest& request);

/// Returns the line of a log that warns of another value for a macro of the request; empty if none does. The
/// binary would be the same for every value.
std::string redefinition_in(std::string_view log, const CompileRequest& request);

/// Compiles CUDA C++ to the machine code (cubin) of one architecture, in this process. Needs neither a driver
/// nor a device. One object serves all threads, which compile at the same time.
class NvrtcCompiler : public Compiler {
 public:
  /// Throws Error where this NVRTC cannot compile for the architecture (`sm_90`).
  NvrtcCompiler(std::shared_ptr<const NvrtcLibrary> nvrtc, std::string architecture);

  /// Fills image, symbols and resources (registers, spills, stack frame, static shared memory) for every
  /// entry. Failure{compile} with a reason of compile_failure_reason, or redefined_macro, and the compiler's
  /// messages as detail.
  Result<Binary> compile(const CompileRequest& request) const override;
  std::string version() const override;
  /// The version, the build of the library (NVRTC itself reports only 13.0) and the options of every compile.
  std::string identity() const override;
  std::optional<std::string> files_key(const CompileRequest& request) const override;

 private:
  struct Outcome;
  Outcome attempt(const CompileRequest& request, bool verbose) const;
  std::vector<std::string> options_of(const CompileRequest& request, bool verbose) const;
  void check_architecture() const;

  std::shared_ptr<const NvrtcLibrary> nvrtc_;
  std::string architecture_;
  int major_ = 0;
  int minor_ = 0;
  mutable IncludedFiles files_;
};

/// Makes a compiler for an architecture such as `sm_90`, without a device. Null where NVRTC is missing or
/// cannot compile for it: `failure_reason` (may be null) then has the cause in one line.
std::unique_ptr<Compiler> make_nvrtc_compiler(const std::string& architecture, std::string* failure_reason);

/// Returns `NVRTC 13.0 in libnvrtc.so.13`, or what is missing, in one line.
std::string toolkit_text();

}  // namespace tune::cuda
