// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/variant_text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/backends/emulator/module/cluster_extents.hpp"
#include "tuner/backends/emulator/module/compiler_errors.hpp"
#include "tuner/backends/emulator/module/global_names.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/device_code.hpp"
#include "tuner/plan/directives.hpp"
#include "tuner/plan/hip_runtime.hpp"

namespace tune::emulator {
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
      : request_(request), number_(number), globals_(request), clusters_(cluster_marks(request)) {}

  std::string text() {
    append(request_.source);
    return std::move(text_);
  }
  std::string qualified(std::string text) const {
    return globals_.qualified(std::move(text), variant_namespace(number_));
  }
  bool has_clusters() const { return !clusters_.empty(); }
  /// The extent of an entry's cluster, in brackets.
  std::string cluster_of(const std::string& entry) const {
    const std::size_t arguments = entry.find('<');
    const std::string_view scoped = std::string_view(entry).substr(0, arguments);
    const auto mark =
        std::ranges::find(clusters_, scoped.substr(scoped.rfind(':') + 1), &ClusterMark::kernel);
    if (mark == clusters_.end()) return "()";
    const std::string extent = format("TUNE_EXTENT({})", cluster_macro(mark->kernel));
    if (mark->parameters.empty() || arguments == std::string::npos) return extent;
    return format("(([]<{}>() {{ return ::tune_emulator::cluster_of {}; }}).operator(){}())",
                  qualified(mark->parameters), extent, qualified(entry.substr(arguments)));
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
    for (int number = 1; std::getline(lines, line); ++number) {
      note_clusters(file, static_cast<std::size_t>(number));
      append_line(file, line, number);
    }
    if (once) text_ += "#endif\n";
    open_.pop_back();
  }

  /// A line that gives a macro of the request another value is an error where the preprocessor comes to it,
  /// as it is for the compilers of devices.
  void guard_macro(const SourceFile& file, const Directive& directive, int number) {
    const std::string name(directive.word), removed = "TUNE_REMOVED_" + name;
    const auto known = std::ranges::find(request_.defines, name, &std::pair<std::string, std::string>::first);
    if (known == request_.defines.end()) return;
    if (directive.name == "undef") {
      text_ +=
          format("#ifdef {0}\n#define {1}\n#endif\n#line {2} \"{3}\"\n", name, removed, number, file.name);
      defined_.insert(removed);
    }
    const std::string_view value = trimmed(directive.rest.substr(name.size()));
    if (directive.name != "define" || value == known->second) return;
    text_ += format(
        "#if defined {0} || defined {1}\n#line {2} \"{3}\"\n#error tune: '#define {0}' replaces the macro '{0}' of "
        "the configuration\n#endif\n#line {2} \"{3}\"\n",
        name, removed, number, file.name);
  }

  static std::string cluster_macro(const std::string& kernel) { return "TUNE_CLUSTER_OF_" + kernel; }

  /// Before the line in which a kernel gets the attribute, so that conditions of the preprocessor count.
  void note_clusters(const SourceFile& file, std::size_t number) {
    for (const ClusterMark& mark : clusters_) {
      if (mark.file != file.name || mark.line != number) continue;
      const std::string macro = cluster_macro(mark.kernel);
      text_ += format("#undef {0}\n#define {0} {1}\n#line {2} \"{3}\"\n", macro, qualified(mark.attribute),
                      number, file.name);
      defined_.insert(macro);
    }
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
      if (directive && !directive->word.empty()) guard_macro(file, *directive, number);
      collect_words(line);
      text_ += qualified(rewritten(line)) + "\n";
      // What was added inside a group that the preprocessor skips has moved the lines below it.
      if (directive && (directive->name == "endif" || directive->name.starts_with("el")))
        text_ += format("#line {} \"{}\"\n", number + 1, file.name);
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
    } else if (quoted && !of_toolkit(name)) {
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
  std::vector<ClusterMark> clusters_;
  std::string text_;
  std::vector<std::string> open_;  ///< the files that include the current one, and itself
  std::size_t includes_ = 0;
  bool endless_ = false;
  std::set<std::string> defined_;
  std::set<std::string> needed_;              ///< files of the prelude
  std::set<std::string, std::less<>> words_;  ///< before an opening bracket
  bool opens_block_ = false;                  ///< `extern "C"` stood last, and its block may follow
};

}  // namespace

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

std::string variant_namespace(std::size_t variant) {
  return format("tune_variant_{}_", variant);
}

std::string variant_text(const CompileRequest& request, std::size_t number) {
  CompileRequest of_device = request;
  leave_out_host_code(of_device);
  VariantText variant(of_device, number);
  const std::string kernels = variant.text();
  std::string text;
  for (const std::string& option : request.options)
    if (option.starts_with("-include") || option.starts_with("--pre-include") ||
        option.starts_with("-imacros"))
      text += format(
          "static_assert(false, \"tune_cannot_emulate: the emulator does not follow the option {}\");\n",
          option.substr(0, option.find('=')));
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
  if (variant.has_clusters())
    text += "#undef __cluster_dims__\n#define __cluster_dims__(...) , (__VA_ARGS__),\n";
  text += "static const ::tune_emulator::Entry tune_entries[] = {\n";
  for (const std::string& entry : request.entries)
    text +=
        format("TUNE_ENTRY(\"{}\", {}, {}),\n", entry, variant.cluster_of(entry), variant.qualified(entry));
  text += "};\n}\n";
  if (variant.has_clusters()) text += "#undef __cluster_dims__\n#define __cluster_dims__(...)\n";
  std::set<std::string> names = variant.defined();
  for (const auto& define : request.defines) names.insert(define.first);
  for (const std::string& name : names) text += format("#undef {}\n", name);
  return text;
}

}  // namespace tune::emulator
