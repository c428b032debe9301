// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/backends/binary.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc_library.hpp"

namespace tune::cuda {

/// What `ptxas -v` says of every kernel in a log, by mangled name: registers, spills, stack frame
/// (`local_bytes`) and static shared memory. The log is the only source of spills, and of shared memory
/// without the bytes that some architectures reserve (the cubin's section counts those in). Lines that it
/// does not know are passed over; device functions that are no kernels are left out.
std::map<std::string, KernelResources> parse_ptxas_log(std::string_view log);

/// A short word for why a compilation failed: the same for the same cause, so that failures can be counted.
/// `static shared memory`, `static assertion`, `missing header`, `entry`, `option`, `syntax` (any other error
/// in the source) or `compiler`.
std::string compile_failure_reason(std::string_view log);

/// Compiles CUDA C++ to the machine code (cubin) of one architecture, in this process. Needs neither a driver
/// nor a device. One object serves all threads; two threads compile at the same time.
class NvrtcCompiler : public Compiler {
 public:
  /// `architecture` such as `sm_90`. Throws Error where this NVRTC does not know it.
  NvrtcCompiler(std::shared_ptr<const NvrtcLibrary> nvrtc, std::string architecture);

  /// Fills image, symbols and resources (registers, spills, stack frame, static shared memory) for every
  /// entry. Failure{compile} with a reason of compile_failure_reason and the compiler's messages as detail.
  Result<Binary> compile(const CompileRequest& request) const override;
  std::string version() const override;
  /// The version, the build of the library (NVRTC tells no more than 13.0 of itself) and the options that
  /// every compile gets.
  std::string identity() const override;

 private:
  struct Outcome;
  Outcome attempt(const CompileRequest& request, bool verbose) const;
  std::vector<std::string> options_of(const CompileRequest& request, bool verbose) const;
  void check_architecture() const;

  std::shared_ptr<const NvrtcLibrary> nvrtc_;
  std::string architecture_;
  int major_ = 0;
  int minor_ = 0;
};

}  // namespace tune::cuda
