// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tuner/backends/binary.hpp"

namespace tune::host {

/// A parameter of a function in a compiled library: `p` for an address, `f` for floating point, `i` for a
/// whole number or a truth value, `s` for a struct; `r` for a reference, which nothing can be passed to.
struct Parameter {
  char kind;
  unsigned bytes;
};
/// What the library has for each entry of its request.
struct Entry {
  void (*call)(void** arguments);  ///< takes the address of each argument
  const Parameter* parameters;
  unsigned count;
};

/// Compiles C++ for the processor of this machine to a shared library, with the compiler that $TUNE_CXX names
/// or g++, as `-std=c++17 -O3 -march=native -fopenmp`, which options of the request may change.
/// Binary::symbols names the library's Entry of each entry. Each compile runs in a temporary folder; one
/// object serves all threads.
class HostCompiler : public Compiler {
 public:
  /// Throws Error where there is no compiler. `timeout`: the seconds that a compile may take.
  explicit HostCompiler(double timeout = default_compile_timeout);

  Result<Binary> compile(const CompileRequest& request) const override;
  void cancel() const override { ++cancellations_; }
  /// The first line of `g++ --version`: `g++ (Debian 12.2.0-14) 12.2.0`.
  std::string version() const override { return version_; }
  /// The version and the processor's instruction sets, for which it compiles.
  std::string identity() const override { return identity_; }
  std::optional<std::string> files_key(const CompileRequest& request) const override;

 private:
  std::string program_;
  double timeout_;
  std::string version_, identity_;
  mutable std::atomic<std::uint64_t> cancellations_ = 0;
};

}  // namespace tune::host
