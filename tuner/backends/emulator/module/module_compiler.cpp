// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/module_compiler.hpp"

#include <cstdlib>
#include <fstream>
#include <future>
#include <regex>
#include <sstream>
#include <vector>

#include "tuner/backends/emulator/module/child_program.hpp"
#include "tuner/backends/emulator/module/module_source.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw Error(format("cannot write '{}': is the disk full? TMPDIR names another place", path.string()));
}

/// The first errors of a log, each on a line of its own.
std::string first_errors(const std::string& log) {
  std::istringstream lines(log);
  std::string text;
  int errors = 0;
  for (std::string line; std::getline(lines, line) && errors < 3;) {
    if (line.find("error:") == std::string::npos && line.find("Error:") == std::string::npos) continue;
    text += (text.empty() ? "" : "; ") + line;
    ++errors;
  }
  return text.empty() ? log.substr(0, 500) : text;
}

/// g++ says of every pass that it leaves out.
std::string without_notes(const std::string& log) {
  std::istringstream lines(log);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (line.find("note: disable pass") == std::string::npos) text += line + "\n";
  return text;
}

/// What the emulator lacks, if that is the cause.
std::string lacking(const std::string& log) {
  if (log.find("tune_inline_ptx_without_host_twin") != std::string::npos)
    return "inline PTX without a host twin: give the helper one under #ifdef TUNE_EMULATOR";
  std::smatch match;
  static const std::regex header(R"(tune_cannot_emulate: ([^\n]*))");
  if (std::regex_search(log, match, header)) return match[1];
  static const std::regex intrinsic(
      R"('(__\w+|cooperative_groups|nvcuda|cuda)'[^\n]*(?:not declared|not been declared|not a namespace))");
  if (std::regex_search(log, match, intrinsic)) return format("the emulator has no {}", match[1].str());
  static const std::regex member(R"('(\w+)' is not a member of '(?:cooperative_groups|cuda)')");
  if (std::regex_search(log, match, member)) return format("the emulator has no {}", match[1].str());
  return {};
}

}  // namespace

ModuleCompiler::ModuleCompiler(std::filesystem::path folder, Flavour flavour)
    : folder_(std::move(folder)), flavour_(flavour) {
  const char* const chosen = std::getenv("TUNE_EMULATOR_CXX");
  program_ = chosen != nullptr && *chosen != '\0' ? chosen : "g++";
  if (find_program(program_).empty())
    throw Error(
        format("the emulator needs a C++ compiler, and there is no '{}' in PATH: install g++ (Debian: apt "
               "install g++), or name one in TUNE_EMULATOR_CXX",
               program_));
  for (const SourceFile& file : prelude_files()) write(folder_ / file.name, file.text);
  const Build quick{Flavour::plain, Effort::much, Purpose::search};
  // At the same time: nobody else uses the processors yet.
  std::future<bool> trial = std::async(std::launch::async, [&] { return knows(Effort::little); });
  const ProgramResult compiled = run_program(command(folder_ / "callbacks.cuh", callbacks(), quick));
  knows_little_effort_ = trial.get();
  if (compiled.status != 0)
    throw Error(format("'{}' cannot compile the emulator's own source (g++ 12 or newer is needed): {}",
                       program_, first_errors(compiled.output)));
}

bool ModuleCompiler::knows(Effort effort) const {
  std::vector<std::string> trial = compiler_options({flavour_, effort, Purpose::search});
  trial.insert(trial.begin(), {program_, "-fsyntax-only"});
  trial.insert(trial.end(), {"-x", "c++", "/dev/null"});
  return run_program(trial).status == 0;
}

std::filesystem::path ModuleCompiler::callbacks() const {
  return folder_ / "callbacks.o";
}

std::vector<std::string> ModuleCompiler::command(const std::filesystem::path& source,
                                                 const std::filesystem::path& object,
                                                 const Build& build) const {
  std::vector<std::string> words = compiler_options(build);
  words.insert(words.begin(), program_);
  words.insert(words.end(), {"-x", "c++", "-c", source.string(), "-o", object.string()});
  return words;
}

Result<std::filesystem::path> ModuleCompiler::compile(std::span<const CompileRequest* const> variants,
                                                      const std::string& name, Effort effort,
                                                      Purpose purpose) const {
  const std::filesystem::path shared = folder_ / (name + ".so");
  if (std::filesystem::exists(shared)) return shared;
  const std::filesystem::path source = folder_ / (name + ".cpp"), object = folder_ / (name + ".o");
  write(source, module_source(variants));
  Build build{flavour_, knows_little_effort_ ? effort : Effort::much, purpose};
  ProgramResult compiled = run_program(command(source, object, build));
  if (build.effort == Effort::little &&
      compiled.output.find("internal compiler error") != std::string::npos) {
    // Nobody else leaves these passes out: the fault may be ours.
    build.effort = Effort::much;
    compiled = run_program(command(source, object, build));
  }
  // Linked by itself: the sanitizer's runtime library must stay out, its call-backs are the module's own.
  if (compiled.status == 0) {
    const std::filesystem::path unfinished = folder_ / (name + ".unfinished");
    // Of the default libraries the program has all that is used; that g++ looks through them costs as much as
    // linking.
    compiled = run_program({program_, "-shared", "-nodefaultlibs", "-Wl,-Bsymbolic", object.string(),
                            callbacks().string(), "-o", unfinished.string(), "-lm", "-lgcc"});
    if (compiled.status == 0) std::filesystem::rename(unfinished, shared);
  }
  if (compiled.status == 0) return shared;
  compiled.output = without_notes(compiled.output);
  const std::string missing = lacking(compiled.output);
  if (!missing.empty()) return fail(Phase::compile, cannot_be_emulated, missing);
  return fail(Phase::compile, "does not compile", first_errors(compiled.output));
}

}  // namespace tune::emulator
