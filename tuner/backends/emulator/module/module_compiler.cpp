// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/module_compiler.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <regex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "tuner/backends/emulator/module/cluster_extents.hpp"
#include "tuner/backends/emulator/module/compiler_errors.hpp"
#include "tuner/backends/emulator/module/global_names.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/program.hpp"
#include "tuner/plan/device_code.hpp"
#include "tuner/plan/directives.hpp"
#include "tuner/plan/hip_runtime.hpp"

namespace tune::emulator {

// Generated from prelude/ at build time.
std::span<const std::pair<std::string_view, std::string_view>> embedded_prelude();

namespace {

/// Headers of the toolkit with the file of the prelude that replaces them.
using Known = std::pair<std::string_view, std::string_view>;
constexpr Known known_headers[] = {{"cooperative_groups.h", "cooperative_groups.cuh"},
                                   {"cooperative_groups/memcpy_async.h", "cooperative_groups.cuh"},
                                   {"cooperative_groups/reduce.h", "cooperative_groups.cuh"},
                                   {"cooperative_groups/scan.h", "cooperative_groups.cuh"},
                                   {"cuda/cmath", "standard_library.cuh"},
                                   {"cuda/functional", "standard_library.cuh"},
                                   {"cuComplex.h", "complex.cuh"},
                                   {"cuda/atomic", "cuda_atomic.cuh"},
                                   {"cuda/barrier", "cuda_barrier.cuh"},
                                   {"cuda/pipeline", "cuda_barrier.cuh"},
                                   {"cuda/std/atomic", "cuda_atomic.cuh"},
                                   {"cuda_bf16.h", "half.cuh"},
                                   {"cuda_fp16.h", "half.cuh"},
                                   {"cuda_fp8.h", "fp8.cuh"},
                                   {"cublasLt.h", "half.cuh"},
                                   {"cublas_v2.h", "half.cuh"},
                                   {"math_constants.h", "math_constants.cuh"},
                                   {"mma.h", "wmma.cuh"}};

/// Headers of the C++ standard library, also under cuda/std, that standard_library.cuh replaces.
constexpr std::string_view library_headers = " algorithm array functional limits tuple type_traits utility ";

/// Headers of the toolkit whose declarations the prelude has.
constexpr std::string_view built_in_headers =
    " assert.h cassert cmath cstddef cstdint cstdio cstdlib cstring cuda.h cuda/std/cstdint "
    "cuda_pipeline.h cuda_pipeline_primitives.h cuda_runtime.h cuda_runtime_api.h device_functions.h "
    "device_launch_parameters.h hip/hip_runtime_api.h inttypes.h math.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h "
    "sys/time.h time.h unistd.h vector_functions.h vector_types.h ";

/// Functions of the prelude that kernels add overloads to. These would hide it in the namespace of a variant.
constexpr std::string_view overloaded[] = {
    "min",      "max",       "abs",       "fabs",      "floor",     "ceil",       "round",     "trunc",
    "fmin",     "fmax",      "fma",       "sqrt",      "exp",       "log",        "pow",       "fmod",
    "sin",      "cos",       "tan",       "atan2",     "rsqrt",     "isnan",      "isinf",     "rsqrtf",
    "sqrtf",    "expf",      "fabsf",     "fminf",     "fmaxf",     "floorf",     "ceilf",     "roundf",
    "truncf",   "fmaf",      "logf",      "powf",      "fmodf",     "sinf",       "cosf",      "tanf",
    "atan2f",   "atomicAdd", "atomicMin", "atomicMax", "atomicCAS", "atomicExch", "atomicSub", "atomicAnd",
    "atomicOr", "atomicXor"};
/// Functions of intrinsics.cuh: by their beginnings, and whole, without the f of a float's.
constexpr std::string_view intrinsics[] = {
    "__v",       "__double2",  "__ll2",    "__ull2",           "__uint2",         "__float2",
    "__int2",    "__hiloint2", "__brevll", "__umul24",         "__umul64hi",      "__mul64hi",
    "__sad",     "__usad",     "__hadd",   "__rhadd",          "__uhadd",         "__urhadd",
    "__frsqrt_", "__drcp_",    "__dsqrt_", "__ddiv_",          "__tanf",          "__log10f",
    "__exp10f",  "__sincosf",  "__dp2a",   "__funnelshift_lc", "__funnelshift_rc"};
constexpr std::string_view rare_functions =
    " sinpi cospi exp10 rcbrt erfinv erfcinv erfcx normcdf normcdfinv j0 j1 y0 y1 jn yn cyl_bessel_i0 cyl_bessel_i1 logb ilogb scalbn frexp modf norm3d "
    "norm4d rnorm3d rnorm4d norm rnorm rhypot fdivide ";
constexpr std::string_view vectors_of[] = {"char", "uchar", "short",    "ushort",    "int",   "uint",
                                           "long", "ulong", "longlong", "ulonglong", "float", "double"};

/// The header of cuRAND is used as it is, where a toolkit has it. Returns the toolkit's folder, or nothing.
const std::string& folder_of_curand() {
  static const std::string folder = [] {
    for (const char* const root : std::initializer_list<const char*>{
             std::getenv("CUDA_HOME"), std::getenv("CUDA_PATH"), "/usr/local/cuda"}) {
      std::error_code error;
      if (root == nullptr || *root == '\0') continue;
      const std::filesystem::path found = std::filesystem::path(root) / "include";
      if (std::filesystem::exists(found / "curand_kernel.h", error)) return found.string();
    }
    return std::string();
  }();
  return folder;
}

bool contains_word(std::string_view words, const std::string& word) {
  return words.find(" " + word + " ") != std::string_view::npos;
}

/// True for headers of the host that only have macros: they may stand anywhere.
bool is_macros(const std::string& name) {
  return name == "float.h" || name == "cfloat" || name == "limits.h" || name == "climits";
}

/// True for headers of the C++ standard library, most of which files include for their functions of the host.
bool of_library(const std::string& name) {
  return name.find_first_of("./") == std::string::npos;
}

/// True for the names of the CUDA toolkit's headers, and of libraries that come with it.
bool of_toolkit(const std::string& name) {
  constexpr std::string_view folders = " cuda cub thrust nv cooperative_groups cute cutlass crt cccl ";
  constexpr std::string_view beginnings[] = {"cuda", "cu",  "sm_",     "curand",   "cublas",   "cufft",
                                             "nv",   "mma", "vector_", "texture_", "surface_", "math_"};
  if (const std::size_t slash = name.find('/'); slash != std::string::npos)
    if (contains_word(folders, name.substr(0, slash))) return true;
  return (name.ends_with(".h") || name.ends_with(".hpp")) &&
         std::ranges::any_of(beginnings, [&](std::string_view one) { return name.starts_with(one); });
}

/// Rewrites the text of sources line by line, without adding or removing lines.
class VariantText {
 public:
  VariantText(const CompileRequest& request, std::size_t number)
      : request_(request), number_(number), globals_(request) {}

  std::string text() {
    append(request_.source);
    return std::move(text_);
  }
  std::string qualified(std::string text) const {
    return globals_.qualified(std::move(text), variant_namespace(number_));
  }
  const std::set<std::string>& defined() const { return defined_; }
  const std::set<std::string>& needed() const { return needed_; }
  /// True where the text calls a function of intrinsics.cuh, which takes as long to read as the rest.
  bool calls_intrinsics() const {
    return std::ranges::any_of(words_, [](const std::string& word) {
      if (word.starts_with("__"))
        return word.ends_with("_rz") || word.ends_with("_rd") || word.ends_with("_ru") ||
               std::ranges::any_of(intrinsics, [&](std::string_view one) { return word.starts_with(one); });
      return contains_word(rare_functions, word) ||
             (word.ends_with('f') && contains_word(rare_functions, word.substr(0, word.size() - 1)));
    });
  }
  /// Declarations that let the text's own functions stand beside those of the prelude of the same name.
  std::string using_declarations() const {
    std::string declarations;
    const auto declare = [&](const std::string& name) {
      if (words_.contains(name)) declarations += format("using ::{}; ", name);
    };
    for (const std::string_view name : overloaded) declare(std::string(name));
    for (const std::string_view element : vectors_of)
      for (const char count : {'1', '2', '3', '4'}) declare(format("make_{}{}", element, count));
    return declarations;
  }

 private:
  void append(const SourceFile& file) {
    open_.push_back(file.name);
    text_ += format("#line 1 \"{}\"\n", file.name);
    const bool once = file.text.find("#pragma once") != std::string::npos;
    // An include guard for each variant: the next one includes the header again.
    const std::string guard = guard_of(file.name);
    if (once) text_ += format("#ifndef {0}\n#define {0}\n#line 1 \"{1}\"\n", guard, file.name);
    std::istringstream lines(file.text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) append_line(file, line, number);
    if (once) text_ += "#endif\n";
    open_.pop_back();
  }

  void append_line(const SourceFile& file, const std::string& line, int number) {
    const auto directive = directive_of(line);
    const std::string_view included =
        directive && directive->name == "include" ? included_name(directive->rest) : std::string_view();
    if (line.find('#') != std::string::npos && line.find("pragma once") != std::string::npos) {
      text_ += "\n";
    } else if (!included.empty()) {
      append_include(file, std::string(included), directive->rest.front() == '"', line, number);
    } else {
      if (directive && directive->name == "define" && !directive->word.empty())
        defined_.insert(std::string(directive->word));
      collect_words(line);
      text_ += qualified(rewritten(line)) + "\n";
    }
  }

  void collect_words(std::string_view line) {
    while (!line.empty()) {
      const std::string_view word = leading_word(line);
      if (!word.empty() && line.substr(word.size()).starts_with('(')) words_.emplace(word);
      line.remove_prefix(std::max<std::size_t>(1, word.size()));
    }
  }

  void append_include(const SourceFile& file, const std::string& name, bool quoted, const std::string& line,
                      int number) {
    const auto* const known = std::ranges::find(known_headers, std::string_view(name), &Known::first);
    constexpr std::string_view of_cuda = "cuda/std/";
    const bool is_of_cuda = name.starts_with(of_cuda);
    if (const SourceFile* const header = find(name)) {
      append_header(file, *header, number);
    } else if (const auto* hip = std::ranges::find(hip_headers, std::string_view(name),
                                                   &std::pair<std::string_view, std::string_view>::first);
               hip != hip_headers.end()) {
      append_header(file, {name, std::string(hip->second)}, number);
    } else if (is_macros(name)) {
      text_ += line + "\n";
    } else if (known != std::end(known_headers)) {
      needed_.insert(std::string(known->second));
      text_ += "\n";
    } else if (name.starts_with("cub/") || (name == "curand_kernel.h" && !folder_of_curand().empty())) {
      needed_.insert(name.starts_with("cub/") ? "cub.cuh" : "curand.cuh");
      text_ += "\n";
    } else if (contains_word(library_headers, is_of_cuda ? name.substr(of_cuda.size()) : name) ||
               is_of_cuda) {
      needed_.insert("standard_library.cuh");
      text_ += "\n";
    } else if (contains_word(built_in_headers, name) || of_library(name)) {
      text_ += "\n";
    } else if (quoted && !of_toolkit(name) && request_.options.empty()) {
      text_ += format(
          "#error tune: cannot find the header \"{}\": correct its name, or name its folder in 'include'\n",
          name);
    } else {
      // Names of it may be of the host alone.
      text_ += format("#pragma {}{}\n", header_is_missing, name);
    }
  }

  /// Puts a header in the place of its include. Includes without an end are an error once; then all are left
  /// out, because each level can double the text.
  void append_header(const SourceFile& file, const SourceFile& header, int number) {
    const bool inside_itself = std::ranges::find(open_, header.name) != open_.end();
    if (endless_ || (inside_itself && is_guarded(header.text))) {
      text_ += "\n";
    } else if (open_.size() > max_depth || ++includes_ > max_includes) {
      endless_ = true;
      text_ +=
          format("#error tune: the header \"{}\" is included again and again: add '#pragma once' to it\n",
                 header.name);
    } else {
      append(header);
      text_ += format("#line {} \"{}\"\n", number + 1, file.name);
    }
  }

  /// True for `#pragma once`, and where the first two directives are `#ifndef X` and `#define X`.
  static bool is_guarded(const std::string& text) {
    if (text.find("#pragma once") != std::string::npos) return true;
    std::string_view guard;
    for (std::string_view rest = text; !rest.empty();) {
      const auto directive = directive_of(next_line(rest));
      if (!directive) continue;
      if (!guard.empty()) return directive->name == "define" && directive->word == guard;
      if (directive->name != "ifndef") return false;
      guard = directive->word;
    }
    return false;
  }

  /// Rewrites a line statement by statement, and of one that is longer than any declaration of shared memory
  /// the beginning: regular expressions would overflow the stack.
  std::string rewritten(std::string line) {
    constexpr std::size_t longest = 2000;
    // Names of an `extern "C"` block would be the same in all variants.
    const std::string_view rest = trimmed(line);
    if (std::exchange(opens_block_, opens_block_ && (rest.empty() || rest.starts_with('#'))) &&
        rest.starts_with('{'))
      line.insert(line.find('{'), "extern \"C++\" ");
    if (line.find("extern") == std::string::npos && line.find("__shared__") == std::string::npos) return line;
    std::string text;
    for (std::size_t begin = 0; begin < line.size();) {
      const std::size_t end = std::min(line.size() - 1, line.find(';', begin)) + 1;
      const std::size_t size = std::min(end - begin, longest);
      text += rewritten_statement(line.substr(begin, size)) + line.substr(begin + size, end - begin - size);
      begin = end;
    }
    return text;
  }

  std::string rewritten_statement(std::string line) {
    static const std::regex external("extern\\s+\"C\""), block("extern\\s+\"C\"\\s*\\{"),
        last("extern\\s+\"C\"\\s*$"), constant("extern\\s+\"C\"(?=\\s+const\\b)");
    static const std::regex dynamic(
        R"(extern\s+__shared__\s+((?:__align__|alignas|__attribute__)\s*\(+[^)]*\)+\s*)?([^;=]*?[\w>])\s*(?:((?:__align__|alignas)\s*\([^)]*\))\s*)?\b(\w+)\s*\[\s*\]\s*;)");
    static const std::regex shared(R"(__shared__[^;]*;)"), opening(R"(__shared__[^;{]*\{[^;}]*;)");
    static const std::regex twice(R"(static\s+__shared__|__shared__\s+static)");
    // The standard's attributes may only stand before a declaration's first word.
    static const std::regex behind(
        R"(((?:(?:extern|static)\s+)*__shared__)\s+(alignas\s*\((?:[^()]|\([^()]*\))*\)))"),
        between(R"(\bextern\s+((?:alignas|__align__)\s*\((?:[^()]|\([^()]*\))*\))\s*__shared__)");
    if (line.find("align") != std::string::npos)
      line = std::regex_replace(std::regex_replace(line, behind, "$2 $1"), between, "$1 extern __shared__");
    if (line.find("extern") != std::string::npos) {
      // All arrays of dynamic shared memory are the same memory.
      line = std::regex_replace(
          line, dynamic,
          "static $2* const $4 __attribute__((__unused__)) = reinterpret_cast<$2*>(tune_dynamic_shared);");
      opens_block_ = std::regex_search(line, last);
      // A constant without a value is declared alone.
      line = std::regex_replace(std::regex_replace(line, constant, "extern"), block, "extern \"C++\" {");
      line = std::regex_replace(line, external, "");
    }
    if (line.find("__shared__") != std::string::npos) {
      line = std::regex_replace(line, twice, "__shared__");
      // The semicolon of a union's member is not the end.
      line = std::regex_search(line, opening) ? std::regex_replace(line, opening, "TUNE_SHARED_GAP $&")
                                              : std::regex_replace(line, shared, "$& TUNE_SHARED_GAP");
    }
    return line;
  }

  const SourceFile* find(const std::string& name) const {
    const auto found = std::ranges::find(request_.headers, name, &SourceFile::name);
    return found == request_.headers.end() ? nullptr : &*found;
  }

  std::string guard_of(const std::string& name) const {
    std::string guard = format("TUNE_ONCE_{}_", number_);
    for (const char letter : name)
      guard += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
    return guard;
  }

  static constexpr std::size_t max_depth = 64, max_includes = 4096;

  const CompileRequest& request_;
  std::size_t number_;
  GlobalNames globals_;
  std::string text_;
  std::vector<std::string> open_;  ///< the files that include the current one, and itself
  std::size_t includes_ = 0;
  bool endless_ = false;
  std::set<std::string> defined_;
  std::set<std::string> needed_;              ///< files of the prelude
  std::set<std::string, std::less<>> words_;  ///< before an opening bracket
  bool opens_block_ = false;                  ///< `extern "C"` stood last, and its block may follow
};

std::string variant_text(const CompileRequest& request, std::size_t number) {
  CompileRequest of_device = request;
  leave_out_host_code(of_device);
  VariantText variant(of_device, number);
  const std::string kernels = variant.text();
  const auto clusters = cluster_extents(of_device);
  std::string text;
  if (clusters.contains(""))
    text +=
        "static_assert(false, \"tune_cannot_emulate: the emulator has no __cluster_dims__ in a macro\");\n";
  if (variant.calls_intrinsics()) text += "#include \"intrinsics.cuh\"\n";
  for (const std::string& file : variant.needed()) text += format("#include \"{}\"\n", file);
  text += "#line 1 \"defines\"\n";
  for (const auto& [name, value] : request.defines)
    text += format("#define {} {}\n", name, variant.qualified(value));
  // An unnamed inner namespace keeps the static variables of templates apart.
  text +=
      format("namespace {} {{ namespace {{ {}\n", variant_namespace(number), variant.using_declarations());
  text += kernels;
  text += "\n#line 1 \"entries\"\n}\n";
  text += "static const ::tune_emulator::Entry tune_entries[] = {\n";
  for (const std::string& entry : request.entries) {
    const std::string_view scoped = std::string_view(entry).substr(0, entry.find('<'));
    const auto cluster = clusters.find(std::string(scoped.substr(scoped.rfind(':') + 1)));
    text +=
        format("TUNE_ENTRY(\"{}\", ({}), {}),\n", entry,
               cluster == clusters.end() ? "" : variant.qualified(cluster->second), variant.qualified(entry));
  }
  text += "};\n}\n";
  std::set<std::string> names = variant.defined();
  for (const auto& define : request.defines) names.insert(define.first);
  for (const std::string& name : names) text += format("#undef {}\n", name);
  return text;
}

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
    throw Error(format("cannot write '{}': is the disk full? TMPDIR names another place", path.string()));
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

std::string variant_namespace(std::size_t variant) {
  return format("tune_variant_{}_", variant);
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
  const char* const chosen = std::getenv("TUNE_EMULATOR_CXX");
  program_ = chosen != nullptr && *chosen != '\0' ? chosen : "g++";
  if (find_program(program_).empty())
    throw Error(
        format("the emulator needs a C++ compiler, and there is no '{}' in PATH: "
               "install g++ (Debian: apt install g++), or name one in TUNE_EMULATOR_CXX",
               program_));
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
