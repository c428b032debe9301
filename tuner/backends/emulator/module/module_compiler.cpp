// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/module_compiler.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

#include "tuner/backends/emulator/module/compiler_errors.hpp"
#include "tuner/backends/emulator/module/variant_text.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/program.hpp"

namespace tune::emulator {

// Generated from prelude/ at build time.
std::span<const std::pair<std::string_view, std::string_view>> embedded_prelude();

namespace {

using Options = std::vector<std::string>;

Options split(const std::string& words) {
  std::istringstream in(words);
  return {std::istream_iterator<std::string>(in), {}};
}

/// -fno-gnu-unique: variants must not share statics. -fno-ipa-reference-addressable: variables of the device
/// that no code writes are not constants, since a plan may fill them.
const Options always = split(
    "-std=c++20 -O1 -w -fPIC -fvisibility=hidden -fno-gnu-unique -fno-exceptions -fno-rtti "
    "-fno-threadsafe-statics -fno-strict-aliasing -ffp-contract=off -fno-stack-protector -fmax-errors=5 "
    "-fdiagnostics-color=never -U_FORTIFY_SOURCE -fno-ipa-reference-addressable");

/// -g1: lines for findings; DWARF 4, because addr2line 2.40 misreads the first file of DWARF 5. Tracking
/// variables would cost a third of a compilation.
const Options line_numbers = {"-g1", "-gdwarf-4", "-fno-var-tracking"};

const Options sanitize = split(
    "-fsanitize=thread,alignment -fno-sanitize-recover=alignment "
    "--param=tsan-instrument-func-entry-exit=0 --param=tsan-distinguish-volatile=1");

/// Leaves only inlining and register allocation of -O1, which save more than they cost: -O0, which lacks
/// them, takes as long, and -Og longer (measured by leaving out one pass after another). Passes without an
/// option are disabled by name; correct code does not need them, and the options are tried before use.
const Options little_effort = split(
    "-fira-region=one -fno-tree-loop-optimize -fno-tree-dominator-opts -fno-thread-jumps "
    "-fno-move-loop-invariants -fno-tree-ccp -fno-tree-bit-ccp -fno-tree-ch -fno-tree-slsr "
    "-fno-ssa-phiopt -fno-split-wide-types -fno-if-conversion -fno-if-conversion2 -fno-cprop-registers "
    "-fno-forward-propagate -fno-combine-stack-adjustments -fno-compare-elim -fno-dce -fno-dse "
    "-fno-shrink-wrap -fno-reorder-blocks -fno-guess-branch-probability -fno-tree-dse -fno-tree-sink "
    "-fno-tree-copy-prop -fno-tree-forwprop -fno-tree-sra -fno-tree-coalesce-vars -fno-tree-cselim "
    "-fno-tree-reassoc -fno-tree-phiprop -fno-tree-builtin-call-dce -fno-ssa-backprop "
    "-fno-optimize-strlen -fno-ipa-modref -fno-ipa-sra -fno-ipa-pure-const -fno-ipa-profile -fno-ipa-ra "
    "-fno-caller-saves -fno-lra-remat -fno-ira-share-spill-slots -fno-ira-share-save-slots "
    "-fno-early-inlining -fno-devirtualize -fno-ipa-cp -fno-ivopts -fno-tree-scev-cprop "
    "-fno-tree-loop-ivcanon -fdisable-tree-ifcombine -fdisable-tree-lim1 -fdisable-tree-lim2 "
    "-fdisable-tree-cddce2 -fdisable-tree-cddce3 -fdisable-tree-dce3 -fdisable-tree-dce4 "
    "-fdisable-tree-dce7 -fdisable-tree-cunroll -fdisable-rtl-jump -fdisable-rtl-ce1 "
    "-fdisable-rtl-combine -fdisable-rtl-cse1 -fdisable-rtl-postreload -fdisable-tree-waccess1 "
    "-fdisable-tree-waccess2 -fdisable-tree-waccess3 -fdisable-tree-wrestrict -fdisable-tree-walloca1 "
    "-fdisable-tree-walloca2 -fdisable-tree-objsz1 -fdisable-tree-objsz2 -fdisable-tree-early_objsz");

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw Error(format("cannot write '{}': free disk space, or set TMPDIR to another folder", path.string()));
}

}  // namespace

const std::vector<SourceFile>& prelude_files() {
  static const std::vector<SourceFile> files = [] {
    std::vector<SourceFile> all;
    for (const auto& [name, text] : embedded_prelude()) all.push_back({std::string(name), std::string(text)});
    return all;
  }();
  return files;
}

std::string module_source(std::span<const CompileRequest* const> variants) {
  std::string text = "#include \"prelude.cuh\"\n";
  for (std::size_t i = 0; i < variants.size(); ++i) text += variant_text(*variants[i], i);
  text += "static const tune_emulator::Variant tune_variants[] = {\n";
  for (std::size_t i = 0; i < variants.size(); ++i)
    text += format("{{{}::tune_entries, {}}},\n", variant_namespace(i), variants[i]->entries.size());
  text += format(
      "}};\nextern \"C\" __attribute__((visibility(\"default\"))) const "
      "tune_emulator::ModuleTable tune_module = {{&tune_host, "
      "reinterpret_cast<tune_emulator::Indices*>(const_cast<tune_indices_t*>(&tune_indices)), "
      "tune_dynamic_shared, tune_variants, {}}};\n",
      variants.size());
  return text;
}

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

ModuleCompiler::ModuleCompiler(std::filesystem::path folder, Flavour flavour)
    : folder_(std::move(folder)), flavour_(flavour) {
  program_ = cxx_program("TUNE_EMULATOR_CXX", "the emulator needs");
  for (const SourceFile& file : prelude_files()) write(folder_ / file.name, file.text);
  // What a compiler made of the emulator's own source serves all later checks of this process.
  struct OwnCode {
    std::string callbacks;
    bool little_effort = false;
  };
  static std::mutex mutex;
  static std::map<std::pair<std::string, Flavour>, OwnCode> all;
  const std::lock_guard lock(mutex);
  const auto [known, is_new] = all.try_emplace({program_, flavour_});
  if (is_new) {
    try {
      known->second = {compiled_callbacks(), knows(Effort::little)};
    } catch (...) {
      all.erase(known);
      throw;
    }
  } else {
    write(callbacks(), known->second.callbacks);
  }
  knows_little_effort_ = known->second.little_effort;
}

std::string ModuleCompiler::compiled_callbacks() const {
  const Build quick{Flavour::plain, Effort::much, Purpose::search};
  const ProgramResult compiled =
      run_program(command(folder_ / "callbacks.cuh", callbacks(), quick), {.temporary = folder_});
  if (compiled.status != 0)
    throw Error(format("'{}' cannot compile the emulator's own source (g++ 12 or newer is needed): {}",
                       program_, first_errors(compiled.output)));
  std::ifstream file(callbacks(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
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
  if (const std::string& curand = folder_of_curand(); !curand.empty())
    words.insert(words.end(), {"-idirafter", curand, "-idirafter", curand + "/cccl"});
  words.insert(words.end(), {"-x", "c++", "-c", source.string(), "-o", object.string()});
  return words;
}

Result<std::filesystem::path> ModuleCompiler::compile(std::span<const CompileRequest* const> variants,
                                                      const std::string& name, Effort effort,
                                                      Purpose purpose) const {
  const std::filesystem::path shared = folder_ / (name + ".so");
  if (std::filesystem::exists(shared)) return shared;
  const std::filesystem::path source = folder_ / (name + ".cpp"), object = folder_ / (name + ".o");
  const std::string text = module_source(variants);
  write(source, text);
  Build build{flavour_, knows_little_effort_ ? effort : Effort::much, purpose};
  ProgramResult compiled = run_program(command(source, object, build), {.temporary = folder_});
  if (build.effort == Effort::little &&
      compiled.output.find("internal compiler error") != std::string::npos) {
    // The disabled passes may be the cause.
    build.effort = Effort::much;
    compiled = run_program(command(source, object, build), {.temporary = folder_});
  }
  // Links separately, without the sanitizer's runtime library: its call-backs are in the module.
  if (compiled.status == 0) {
    const std::filesystem::path unfinished = folder_ / (name + ".unfinished");
    // The program has everything that is used of the default libraries; searching them costs as much as
    // linking.
    compiled = run_program({program_, "-shared", "-nodefaultlibs", "-Wl,-Bsymbolic", object.string(),
                            callbacks().string(), "-o", unfinished.string(), "-lm", "-lgcc"},
                           {.temporary = folder_});
    if (compiled.status == 0) std::filesystem::rename(unfinished, shared);
  }
  if (compiled.status == 0) return shared;
  compiled.output = without_notes(compiled.output);
  const std::string missing = lacking(compiled.output, text);
  if (!missing.empty()) return fail(Phase::compile, cannot_be_emulated, missing);
  return fail(Phase::compile, "does not compile", first_errors(compiled.output));
}

}  // namespace tune::emulator
