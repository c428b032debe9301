// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tuner/backends/kernel_resources.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// A device binary and what its compiler said.
struct Binary {
  std::vector<std::byte> image;                      ///< cubin
  std::map<std::string, std::string> symbols;        ///< entry -> lowered (mangled) name
  std::map<std::string, KernelResources> resources;  ///< entry -> registers, spills, static shared memory
  std::string log;
  double compile_seconds = 0;
  std::string hash;  ///< of the image: equal code is equal text
  /// From a cache, not made for this call: compile_seconds are those of the lookup.
  bool cached = false;
};

/// Turns source into a device binary. Safe to call from several threads at once.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Failure{compile} with the compiler's log.
  virtual Result<Binary> compile(const CompileRequest& request) const = 0;
  /// `NVRTC 13.0 sm_90`: for people and databases.
  virtual std::string version() const = 0;
  /// Differs wherever equal requests may give other binaries or other figures, even between builds that say
  /// the same version: for keys of caches. Never stored with results, which stay comparable across such
  /// builds.
  virtual std::string identity() const { return version(); }
};

}  // namespace tune
