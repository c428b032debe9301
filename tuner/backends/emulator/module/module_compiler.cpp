// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/module_compiler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <future>
#include <regex>
#include <sstream>
#include <vector>

#include "tuner/backends/emulator/module/module_source.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::emulator {

ProgramResult run_program(const std::vector<std::string>& command) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("no pipe to a program: too many open files (ulimit -n)");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    throw Error(format("cannot start '{}': is it installed?", command.front()));
  }
  ProgramResult result;
  char part[4096];
  while (true) {
    const ssize_t got = read(ends[0], part, sizeof part);
    if (got > 0) result.output.append(part, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

namespace {

using Options = std::vector<std::string>;

/// One variant's statics must not be another's, hence no unique symbols.
const Options always = {"-std=c++20",
                        "-O1",
                        "-w",
                        "-fPIC",
                        "-fvisibility=hidden",
                        "-fno-gnu-unique",
                        "-fno-exceptions",
                        "-fno-rtti",
                        "-fno-threadsafe-statics",
                        "-fno-strict-aliasing",
                        "-ffp-contract=off",
                        "-fno-stack-protector",
                        "-fmax-errors=5",
                        "-fdiagnostics-color=never",
                        "-U_FORTIFY_SOURCE"};

/// -g1: lines for what is found; in DWARF 4, because addr2line 2.40 takes the first file of DWARF 5 for the
/// source itself. Where variables are at every moment, nobody asks: finding that out costs a third of a
/// compilation.
const Options line_numbers = {"-g1", "-gdwarf-4", "-fno-var-tracking"};

const Options sanitize = {"-fsanitize=thread,alignment", "-fno-sanitize-recover=alignment",
                          "--param=tsan-instrument-func-entry-exit=0", "--param=tsan-distinguish-volatile=1"};

/// What is left of -O1 is inlining and the allocation of registers, which save more than they cost: -O0,
/// which lacks them, takes as long, because there is more to write, and -Og longer. Found by leaving out one
/// after the other. Passes without an option of their own are disabled by name; none of them is needed for
/// right code, and the names are tried before they are used.
const Options little_effort = {"-fira-region=one",
                               "-fno-tree-loop-optimize",
                               "-fno-tree-dominator-opts",
                               "-fno-thread-jumps",
                               "-fno-move-loop-invariants",
                               "-fno-tree-ccp",
                               "-fno-tree-bit-ccp",
                               "-fno-tree-ch",
                               "-fno-tree-slsr",
                               "-fno-ssa-phiopt",
                               "-fno-split-wide-types",
                               "-fno-if-conversion",
                               "-fno-if-conversion2",
                               "-fno-cprop-registers",
                               "-fno-forward-propagate",
                               "-fno-combine-stack-adjustments",
                               "-fno-compare-elim",
                               "-fno-dce",
                               "-fno-dse",
                               "-fno-shrink-wrap",
                               "-fno-reorder-blocks",
                               "-fno-guess-branch-probability",
                               "-fno-tree-dse",
                               "-fno-tree-sink",
                               "-fno-tree-copy-prop",
                               "-fno-tree-forwprop",
                               "-fno-tree-sra",
                               "-fno-tree-coalesce-vars",
                               "-fno-tree-cselim",
                               "-fno-tree-reassoc",
                               "-fno-tree-phiprop",
                               "-fno-tree-builtin-call-dce",
                               "-fno-ssa-backprop",
                               "-fno-optimize-strlen",
                               "-fno-ipa-modref",
                               "-fno-ipa-sra",
                               "-fno-ipa-pure-const",
                               "-fno-ipa-profile",
                               "-fno-ipa-ra",
                               "-fno-caller-saves",
                               "-fno-lra-remat",
                               "-fno-ira-share-spill-slots",
                               "-fno-ira-share-save-slots",
                               "-fno-early-inlining",
                               "-fno-devirtualize",
                               "-fno-ipa-cp",
                               "-fno-ivopts",
                               "-fno-tree-scev-cprop",
                               "-fno-tree-loop-ivcanon",
                               "-fdisable-tree-ifcombine",
                               "-fdisable-tree-lim1",
                               "-fdisable-tree-lim2",
                               "-fdisable-tree-cddce2",
                               "-fdisable-tree-cddce3",
                               "-fdisable-tree-dce3",
                               "-fdisable-tree-dce4",
                               "-fdisable-tree-dce7",
                               "-fdisable-tree-cunroll",
                               "-fdisable-rtl-jump",
                               "-fdisable-rtl-ce1",
                               "-fdisable-rtl-combine",
                               "-fdisable-rtl-cse1",
                               "-fdisable-rtl-postreload",
                               "-fdisable-tree-waccess1",
                               "-fdisable-tree-waccess2",
                               "-fdisable-tree-waccess3",
                               "-fdisable-tree-wrestrict",
                               "-fdisable-tree-walloca1",
                               "-fdisable-tree-walloca2",
                               "-fdisable-tree-objsz1",
                               "-fdisable-tree-objsz2",
                               "-fdisable-tree-early_objsz"};

}  // namespace

std::vector<std::string> compiler_options(const Build& build) {
  Options options = always;
  const auto add = [&](const Options& more) { options.insert(options.end(), more.begin(), more.end()); };
  if (build.effort == Effort::little) add(little_effort);
  if (build.flavour == Flavour::sanitize) add(sanitize);
  if (build.purpose == Purpose::explain) {
    add(line_numbers);
  } else if (build.flavour == Flavour::sanitize) {
    options.emplace_back("-fsanitize-undefined-trap-on-error");
  }
  return options;
}

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
