// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/backends/kernel_resources.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// A device binary with the figures and the log of its compiler.
struct Binary {
  std::vector<std::byte> image;                      ///< cubin
  std::map<std::string, std::string> symbols;        ///< entry -> lowered (mangled) name
  std::map<std::string, KernelResources> resources;  ///< entry -> registers, spills, static shared memory
  std::string log;
  double compile_seconds = 0;
  std::string hash;  ///< of the image
  /// From a cache: compile_seconds are those of the lookup.
  bool cached = false;
  std::string compiler = {};        ///< that made it: Compiler::version
  std::string chosen_because = {};  ///< why it was not NVRTC with the text as it is; empty where it was
};

/// Seconds that a compile may take, unless somebody says otherwise.
inline constexpr double default_compile_timeout = 300;

/// Turns source into a device binary. Safe to call from several threads at once.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Failure{compile} with the compiler's log.
  virtual Result<Binary> compile(const CompileRequest& request) const = 0;
  /// Ends the compiles that are in flight on other threads, as far as that is possible: they return a failure
  /// that says nothing about the request. Later compiles are not affected.
  virtual void cancel() const {}
  /// `NVRTC 13.0 sm_90`, as stored and as shown.
  virtual std::string version() const = 0;
  /// Returns the version of the compiler that makes the binary of this request, where several may. Nothing
  /// where only the compile can tell (Binary::compiler).
  virtual std::optional<std::string> version_for(const CompileRequest&) const { return version(); }
  /// Differs wherever equal requests may lead to other binaries or figures, even between builds with the same
  /// version: for keys of caches. Not stored with results, which stay comparable across such builds.
  virtual std::string identity() const { return version(); }
  /// Returns a digest of the files on disk that shape the binary of this request beside its texts; empty
  /// where there are none. Nothing where they cannot be known: the binary must then not be kept.
  virtual std::optional<std::string> files_key(const CompileRequest& request) const {
    return uses_files(request) ? std::nullopt : std::optional<std::string>("");
  }
};

}  // namespace tune
