// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tuner/backends/emulator/module/compiler_options.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// Compiles batches of variants to shared objects with the host's g++, in a folder of its own.
class ModuleCompiler {
 public:
  /// Writes the prelude there and compiles what all batches share. Throws Error that names the cure where
  /// there is no g++.
  ModuleCompiler(std::filesystem::path folder, Flavour flavour);

  /// Writes `name`.cpp and compiles it to `name`.so, unless that is there; a name stands for one kind of
  /// build. The flavour is the compiler's own. A failure is that of g++, of the whole batch: `does not
  /// compile` with its first errors, or, where the emulator lacks something, `cannot be emulated` with what.
  Result<std::filesystem::path> compile(std::span<const CompileRequest* const> variants,
                                        const std::string& name, Effort effort, Purpose purpose) const;

 private:
  std::filesystem::path callbacks() const;
  /// Whether g++ takes these options.
  bool knows(Effort effort) const;
  std::vector<std::string> command(const std::filesystem::path& source, const std::filesystem::path& object,
                                   const Build& build) const;

  std::filesystem::path folder_;
  Flavour flavour_;
  std::string program_;
  bool knows_little_effort_ = false;  ///< g++ has the options that say so
};

/// The reason of failures of what the emulator cannot do: no finding.
inline constexpr const char* cannot_be_emulated = "cannot be emulated";

}  // namespace tune::emulator
