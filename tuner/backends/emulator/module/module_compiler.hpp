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

/// The prelude: CUDA's language for g++. Names are as its files include each other.
const std::vector<SourceFile>& prelude_files();

/// One translation unit of several variants, each in a namespace of its own (`tune_variant_3`): its defines,
/// its source with its headers in their places, its entries, then everything undefined again. What cannot be
/// written in C++ is rewritten (`extern "C"`, `extern __shared__ T x[]`); lines and file names stay those of
/// the kernel. Throws nothing: what is wrong with a source is for the compiler to say.
std::string module_source(std::span<const CompileRequest* const> variants);

/// The prefix of the names of everything in a variant, mangled.
std::string variant_namespace(std::size_t variant);

/// What a program said (both outputs) and its exit status; 128 + signal where one ended it.
struct ProgramResult {
  int status = 0;
  std::string output;
};

/// Runs a program without a shell and waits for its end. Throws Error where it cannot be started.
ProgramResult run_program(const std::vector<std::string>& command);

/// The path of a program by PATH; empty where there is none.
std::string find_program(const std::string& name);

/// What is compiled in.
enum class Flavour {
  plain,    ///< nothing: fast, finds wrong results and what harms the emulator itself
  sanitize  ///< a call-back before every memory access
};

/// How much g++ does for the speed of what it compiles.
enum class Effort {
  little,  ///< compiles in half of the time, to what runs for up to twice as long: for little work
  much
};

/// What a module is for. Both purposes lead through the same instructions but for what is told of an error.
enum class Purpose {
  search,  ///< is there an error? A misaligned address is a trap, nothing says where anything stands.
  explain  ///< of what kind, and at which line?
};

struct Build {
  Flavour flavour = Flavour::sanitize;
  Effort effort = Effort::much;
  Purpose purpose = Purpose::explain;
};

/// Of g++, without the names of files.
std::vector<std::string> compiler_options(const Build& build);

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
