// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/backends/binary.hpp"
#include "tuner/backends/cuda/toolkit/included_files.hpp"

namespace tune::cuda {

/// Returns the first nvcc in $CUDA_HOME/bin, $CUDA_PATH/bin, PATH and /usr/local/cuda/bin; empty where there
/// is none.
std::filesystem::path find_nvcc();

/// What to do where there is no nvcc, in one line.
extern const std::string_view nvcc_is_missing;

/// Returns the text of the file that nvcc compiles: the macros, the source by its name, and for each entry a
/// kernel without a body that has the entry as its template argument. That kernel instantiates the entry, and
/// its mangled name tells the entry's.
std::string nvcc_unit(const CompileRequest& request);

/// Returns the names of all functions of a cubin, mangled; empty for what is no ELF file of 64 bits.
std::vector<std::string> functions_in(std::span<const std::byte> image);

/// Returns the mangled name of each entry of a unit, by its functions. Entries that are not among them are
/// left out.
std::map<std::string, std::string> entries_in(const std::vector<std::string>& functions,
                                              const std::vector<std::string>& entries);

/// Compiles CUDA C++ to the machine code (cubin) of one architecture with nvcc, which takes host code beside
/// the kernels. Each compile runs nvcc in a process group of its own and in a temporary folder. Needs neither
/// a driver nor a device. One object serves all threads, which compile at the same time.
class NvccCompiler : public Compiler {
 public:
  /// Asks nvcc for its version. Throws Error where it does not answer, or cannot compile for the architecture
  /// (`sm_90`). `timeout`: the seconds that a compile may take.
  NvccCompiler(std::filesystem::path nvcc, std::string architecture,
               double timeout = default_compile_timeout);

  /// As NvrtcCompiler::compile. Failure{timeout, slow_compiler} where nvcc took too long, Failure{compile,
  /// "cancelled"} after cancel().
  Result<Binary> compile(const CompileRequest& request) const override;
  /// Ends the processes that compile.
  void cancel() const override { ++cancellations_; }
  /// `nvcc 13.0 sm_90`.
  std::string version() const override;
  /// The version, nvcc's build, the host's compiler and the environment that nvcc reads.
  std::string identity() const override;
  std::optional<std::string> files_key(const CompileRequest& request) const override;

 private:
  std::vector<std::string> command_of(const CompileRequest& request, const std::string& unit,
                                      const std::string& image) const;

  std::filesystem::path nvcc_;
  std::string architecture_;
  double timeout_;
  std::string release_;                       ///< `13.0`
  std::string build_;                         ///< what nvcc says about itself
  std::string host_;                          ///< the version of the host's compiler
  std::vector<std::string> toolkit_folders_;  ///< of headers
  std::vector<std::string> host_folders_;     ///< likewise
  mutable std::atomic<std::uint64_t> cancellations_ = 0;
  mutable IncludedFiles files_;
};

/// Null where there is no nvcc, or none for the architecture: `failure_reason` (may be null) then has the
/// cause in one line.
std::unique_ptr<Compiler> make_nvcc_compiler(const std::string& architecture, std::string* failure_reason,
                                             double timeout = default_compile_timeout);

}  // namespace tune::cuda
