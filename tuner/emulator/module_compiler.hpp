// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tuner/core/failure.hpp"
#include "tuner/core/launch_plan.hpp"

namespace tune::emulator {

/// What is compiled in.
enum class Flavour {
  plain,    ///< nothing: fast, finds wrong results and what harms the emulator itself
  sanitize  ///< a call-back before every memory access
};

/// Compiles batches of variants to shared objects with the host's g++, in a folder of its own.
class ModuleCompiler {
 public:
  /// Writes the prelude there and compiles what all batches share. Throws Error that names the cure where
  /// there is no g++.
  ModuleCompiler(std::filesystem::path folder, Flavour flavour);

  /// Writes `name`.cpp and compiles it to `name`.so, unless that is there. A failure is that of g++, of the
  /// whole batch: `does not compile` with its first errors, or, where the emulator lacks something, `cannot
  /// be emulated` with what.
  Result<std::filesystem::path> compile(std::span<const CompileRequest* const> variants,
                                        const std::string& name) const;

 private:
  std::filesystem::path callbacks() const;
  std::vector<std::string> command(const std::filesystem::path& source, const std::filesystem::path& object,
                                   Flavour flavour) const;

  std::filesystem::path folder_;
  Flavour flavour_;
  std::string program_;
};

/// The reason of failures of what the emulator cannot do: no finding.
inline constexpr const char* cannot_be_emulated = "cannot be emulated";

}  // namespace tune::emulator
