// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tuner/base/failure.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune::emulator {

/// Returns the prelude: CUDA's language for g++. Names are as its files include each other.
const std::vector<SourceFile>& prelude_files();

/// Makes one translation unit of several variants, each in a namespace of its own. Does not throw: the
/// compiler reports errors in a source.
std::string module_source(std::span<const CompileRequest* const> variants);

/// The checks that are compiled in.
enum class Flavour {
  plain,    ///< none: fast, finds wrong results and faults
  sanitize  ///< a call-back before every memory access
};

/// How much g++ optimises.
enum class Effort {
  little,  ///< halves the time to compile and up to doubles the time to run: for short runs
  much
};

/// What a module is for. Both run the same instructions and differ in what they report of an error.
enum class Purpose {
  search,  ///< finds errors: a misaligned address is a trap, and there are no line numbers
  explain  ///< reports their kind and line
};

struct Build {
  Flavour flavour = Flavour::sanitize;
  Effort effort = Effort::much;
  Purpose purpose = Purpose::explain;
};

/// Returns g++'s options, without the names of files.
std::vector<std::string> compiler_options(const Build& build);

/// Compiles batches of variants to shared objects with the host's g++, in a folder.
class ModuleCompiler {
 public:
  /// Writes the prelude to the folder and compiles the code that all batches share, once in a process. Throws
  /// Error that names the cure where there is no g++.
  ModuleCompiler(std::filesystem::path folder, Flavour flavour);

  /// Writes `name`.cpp and compiles it to `name`.so, unless that exists; a name stands for one kind of build.
  /// Fails for the whole batch: `does not compile` with g++'s first errors, or `cannot be emulated` with what
  /// the emulator lacks.
  Result<std::filesystem::path> compile(std::span<const CompileRequest* const> variants,
                                        const std::string& name, Effort effort, Purpose purpose) const;

 private:
  std::filesystem::path callbacks() const;
  /// Compiles them to their place and returns the object.
  std::string compiled_callbacks() const;
  /// True where g++ supports the options of `effort`.
  bool knows(Effort effort) const;
  std::vector<std::string> command(const std::filesystem::path& source, const std::filesystem::path& object,
                                   const Build& build) const;

  std::filesystem::path folder_;
  Flavour flavour_;
  std::string program_;
  bool knows_little_effort_ = false;  ///< g++ supports Effort::little
};

/// The reason of failures that are limits of the emulator, not findings.
inline constexpr const char* cannot_be_emulated = "cannot be emulated";

}  // namespace tune::emulator
