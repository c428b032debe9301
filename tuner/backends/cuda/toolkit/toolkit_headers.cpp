// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/toolkit_headers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "tuner/base/format.hpp"
#include "tuner/plan/directives.hpp"
#include "tuner/plan/hip_runtime.hpp"
#include "tuner/plan/includes.hpp"

namespace tune::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view integers =
    "#pragma once\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;\n"
    "typedef unsigned long long uint64_t; typedef unsigned long long uintptr_t; typedef long long intptr_t;\n"
    "#ifndef INT8_MAX\n#define INT8_MAX 127\n#define INT16_MAX 32767\n#define INT32_MAX 2147483647\n"
    "#define INT64_MAX 9223372036854775807ll\n#define INT8_MIN (-128)\n#define INT16_MIN (-32768)\n"
    "#define INT32_MIN (-2147483647 - 1)\n#define INT64_MIN (-9223372036854775807ll - 1)\n"
    "#define UINT8_MAX 255\n#define UINT16_MAX 65535\n#define UINT32_MAX 4294967295u\n"
    "#define UINT64_MAX 18446744073709551615ull\n#define SIZE_MAX 18446744073709551615ull\n#endif\n"
    "typedef int64_t intmax_t; typedef uint64_t uintmax_t;\n"
    "namespace std { using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::uint8_t;\n"
    "using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::intptr_t; using ::uintptr_t; using ::intmax_t;\n"
    "using ::uintmax_t; using ::size_t; using ::ptrdiff_t; }\n";

constexpr std::string_view sizes =
    "#pragma once\n#ifndef offsetof\n#define offsetof(type, member) __builtin_offsetof(type, member)\n#endif\n"
    "namespace std { using ::size_t; using ::ptrdiff_t; typedef decltype(nullptr) nullptr_t;\n"
    "enum class byte : unsigned char {}; }\n";

/// Names of the C library that nvcc has everywhere.
#define TUNE_UNSIGNED \
  "typedef unsigned int uint; typedef unsigned short ushort; typedef unsigned long ulong;\n"
constexpr std::string_view unsigned_names = "#pragma once\n" TUNE_UNSIGNED;

constexpr std::string_view memory =
    "#pragma once\nnamespace std { using ::size_t; using ::memcpy; using ::memset; }\n";

constexpr std::string_view output =
    "#pragma once\n" TUNE_UNSIGNED "namespace std { using ::size_t; using ::printf; }\n";

constexpr std::string_view general =
    "#pragma once\n" TUNE_UNSIGNED
    "namespace std { using ::size_t; using ::abs; using ::labs; using ::llabs; using ::malloc;\n"
    "using ::free; }\n";

constexpr std::string_view limits =
    "#pragma once\n"
    "#ifndef INT_MAX\n#define CHAR_BIT 8\n#define SCHAR_MAX 127\n#define UCHAR_MAX 255\n#define SHRT_MAX 32767\n"
    "#define USHRT_MAX 65535\n#define INT_MAX 2147483647\n#define INT_MIN (-2147483647 - 1)\n"
    "#define UINT_MAX 4294967295u\n#define LLONG_MAX 9223372036854775807ll\n"
    "#define LLONG_MIN (-9223372036854775807ll - 1)\n#define ULLONG_MAX 18446744073709551615ull\n"
    "#define LONG_MAX 9223372036854775807l\n#define LONG_MIN (-9223372036854775807l - 1)\n"
    "#define ULONG_MAX 18446744073709551615ul\n#endif\n";

constexpr std::string_view floats =
    "#pragma once\n"
    "#ifndef FLT_MAX\n#define FLT_MAX 3.402823466e+38f\n#define FLT_MIN 1.175494351e-38f\n#define FLT_EPSILON "
    "1.192092896e-07f\n"
    "#define DBL_MAX 1.7976931348623157e+308\n#define DBL_MIN 2.2250738585072014e-308\n"
    "#define DBL_EPSILON 2.2204460492503131e-16\n#define FLT_DIG 6\n#define DBL_DIG 15\n#define FLT_MANT_DIG "
    "24\n"
    "#define DBL_MANT_DIG 53\n#endif\n";

constexpr std::string_view mathematics =
    "#pragma once\n"
    "#ifndef M_PI\n#define M_PI 3.14159265358979323846\n#define M_PI_2 1.57079632679489661923\n"
    "#define M_PI_4 0.78539816339744830962\n#define M_E 2.7182818284590452354\n"
    "#define M_SQRT2 1.41421356237309504880\n#define M_SQRT1_2 0.70710678118654752440\n"
    "#define M_LN2 0.69314718055994530942\n#endif\n"
    "#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n#define NAN "
    "__int_as_float(0x7fffffff)\n#endif\n"
    "#ifndef HUGE_VAL\n#define HUGE_VAL __longlong_as_double(0x7ff0000000000000ll)\n"
    "#define HUGE_VALF __int_as_float(0x7f800000)\n#endif\n";

/// NVRTC's functions for namespace std, and those that the C++ standard library has besides: of whole
/// numbers, and of two numbers of different types.
std::string functions_of_std() {
  // A file may include both <math.h> and <cmath>, and `#pragma once` knows headers by their names.
  std::string text =
      "#ifndef TUNE_MATHEMATICS\n#define TUNE_MATHEMATICS\nnamespace tune_std {\n"
      "template<class T> struct number {}; template<class T> struct whole {};\n"
      "template<> struct number<float> { typedef float type; };\n"
      "template<> struct number<double> { typedef double type; };\n";
  for (const char* const type :
       {"bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
        "unsigned long", "long long", "unsigned long long"})
    text += format(
        "template<> struct number<{0}> {{ typedef double type; }};\n"
        "template<> struct whole<{0}> {{ typedef double type; }};\n",
        type);
  text +=
      "template<class A, class B, class = typename number<A>::type, class = typename number<B>::type>\n"
      "struct mixed { typedef double type; };\n"
      "template<> struct mixed<float, float, float, float> {};\n"
      "template<> struct mixed<double, double, double, double> {};\n";
  std::string names;
  const auto use = [&](std::string_view name, std::string_view of) {
    names += format("namespace std {{ using {0}::{1}; }}\n", of, name);
    if (of == "tune_std") names += format("using tune_std::{};\n", name);
  };
  for (const std::string_view name :
       {"fabs",  "exp",   "exp2",     "expm1",  "log",     "log10",     "log2",   "log1p",  "sqrt",
        "cbrt",  "sin",   "cos",      "tan",    "asin",    "acos",      "atan",   "sinh",   "cosh",
        "tanh",  "asinh", "acosh",    "atanh",  "erf",     "erfc",      "tgamma", "lgamma", "ceil",
        "floor", "trunc", "round",    "lround", "llround", "nearbyint", "rint",   "lrint",  "llrint",
        "ilogb", "logb",  "isfinite", "isinf",  "isnan",   "signbit"}) {
    text += format(
        "template<class T, class = typename whole<T>::type> __host__ __device__ inline "
        "decltype(::{0}(0.0)) {0}(T x) {{ return ::{0}(double(x)); }}\n",
        name);
    use(name, "");
    use(name, "tune_std");
  }
  for (const std::string_view name :
       {"fmod", "remainder", "fmax", "fmin", "fdim", "pow", "hypot", "atan2", "nextafter", "copysign"}) {
    text += format(
        "template<class A, class B> __host__ __device__ inline typename mixed<A, B>::type {0}(A x, B y) {{ "
        "return ::{0}(double(x), double(y)); }}\n",
        name);
    // NVRTC's own function of a float and an int returns a float.
    if (name != "pow") use(name, "");
    use(name, "tune_std");
  }
  for (const std::string_view name :
       {"abs",   "fma",   "remquo", "frexp",  "ldexp", "modf",   "scalbn", "scalbln", "nan",
        "sqrtf", "fabsf", "powf",   "expf",   "logf",  "sinf",   "cosf",   "tanf",    "fmaxf",
        "fminf", "fmaf",  "fmodf",  "floorf", "ceilf", "roundf", "truncf"})
    use(name, "");
  return text + "}\n" + names +
         "namespace std { typedef float float_t; typedef double double_t;\n"
         "__host__ __device__ inline float pow(float x, float y) { return ::pow(x, y); }\n"
         "__host__ __device__ inline double pow(double x, double y) { return ::pow(x, y); } }\n#endif\n";
}

/// What CUDA's own header includes of the C library.
const std::string& runtime_names() {
  static const std::string text = std::string(unsigned_names) +
                                  std::string(mathematics.substr(mathematics.find('\n') + 1)) +
                                  std::string(limits.substr(limits.find('\n') + 1));
  return text;
}

const std::string& all_mathematics() {
  static const std::string text = std::string(mathematics) + functions_of_std();
  return text;
}

constexpr std::string_view assertions =
    "#pragma once\n#ifndef assert\n#define assert(condition) ((condition) ? (void)0 : __trap())\n#endif\n";

const std::map<std::string, std::string_view, std::less<>>& known() {
  static const std::map<std::string, std::string_view, std::less<>> all = [] {
    std::map<std::string, std::string_view, std::less<>> texts = {{"stdint.h", integers},
                                                                  {"cstdint", integers},
                                                                  {"inttypes.h", integers},
                                                                  {"limits.h", limits},
                                                                  {"climits", limits},
                                                                  {"float.h", floats},
                                                                  {"cfloat", floats},
                                                                  {"math.h", all_mathematics()},
                                                                  {"cmath", all_mathematics()},
                                                                  {"assert.h", assertions},
                                                                  {"cassert", assertions},
                                                                  {"cuda.h", ""},
                                                                  {"cuda_runtime.h", runtime_names()},
                                                                  {"cuda_runtime_api.h", runtime_names()},
                                                                  {"sys/types.h", unsigned_names},
                                                                  {"device_functions.h", ""},
                                                                  {"device_launch_parameters.h", ""},
                                                                  {"sm_20_intrinsics.h", ""},
                                                                  {"vector_types.h", ""},
                                                                  {"vector_functions.h", ""},
                                                                  {"stdio.h", output},
                                                                  {"cstdio", output},
                                                                  {"stdlib.h", general},
                                                                  {"cstdlib", general},
                                                                  {"string.h", memory},
                                                                  {"cstring", memory},
                                                                  {"stddef.h", sizes},
                                                                  {"cstddef", sizes},
                                                                  {"stdbool.h", ""}};
    texts.insert(hip_headers.begin(), hip_headers.end());
    return texts;
  }();
  return all;
}

bool has(const std::vector<SourceFile>& files, const std::string& name) {
  return std::ranges::find(files, name, &SourceFile::name) != files.end();
}

/// Returns the names that the request's texts include, but for those of its own headers; true for those that
/// are somewhere in angle brackets.
std::map<std::string, bool> included(const CompileRequest& request) {
  std::map<std::string, bool> names;
  const auto search = [&](const std::string& text) {
    for (const Include& include : includes_of(text).files)
      if (!has(request.headers, include.name)) names[include.name] |= !include.quoted;
  };
  search(request.source.text);
  for (const SourceFile& header : request.headers) search(header.text);
  for (const auto& [name, text] : hip_headers)
    if (names.contains(std::string(name))) search(std::string(text));
  return names;
}

/// Returns the folders of toolkits' headers, that of NVRTC's own toolkit first.
std::vector<std::vector<fs::path>> toolkits(const std::string& library) {
  std::vector<fs::path> roots;
  if (const fs::path file(library); file.has_parent_path()) roots.push_back(file.parent_path().parent_path());
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0') roots.emplace_back(root);
  roots.emplace_back("/usr/local/cuda");
  std::vector<std::vector<fs::path>> all;
  for (const fs::path& root : roots) {
    all.push_back({root / "include"});
    // From CUDA 13 on libcu++ and CUB have a folder of their own.
    std::error_code error;
    if (fs::exists(root / "include" / "cccl", error)) all.back().push_back(root / "include" / "cccl");
  }
  return all;
}

bool contain(const std::vector<fs::path>& folders, const std::string& name) {
  std::error_code error;
  return std::ranges::any_of(
      folders, [&](const fs::path& folder) { return fs::is_regular_file(folder / name, error); });
}

/// Returns the header of libcu++ in the place of one of the C++ standard library; empty where there is none.
std::string of_libcuxx(const std::vector<fs::path>& folders, const std::string& name) {
  if (name.find_first_of("/.") != std::string::npos) return {};
  for (const std::string& known : {"cuda/std/" + name, "cuda/std/__" + name + "_"})
    if (contain(folders, known)) return known;
  return {};
}

/// Names that nvcc has in every file, by the header that defines them here.
struct NamesEverywhere {
  const char* header;
  std::vector<std::string_view> names;
};
const std::vector<NamesEverywhere>& names_everywhere() {
  static const std::vector<NamesEverywhere> all = {
      {"math.h",
       {"INFINITY", "NAN", "HUGE_VAL", "HUGE_VALF", "M_PI", "M_PI_2", "M_PI_4", "M_E", "M_SQRT2", "M_SQRT1_2",
        "M_LN2"}},
      {"limits.h",
       {"CHAR_BIT", "SCHAR_MAX", "UCHAR_MAX", "SHRT_MAX", "USHRT_MAX", "INT_MAX", "INT_MIN", "UINT_MAX",
        "LONG_MAX", "LONG_MIN", "ULONG_MAX", "LLONG_MAX", "LLONG_MIN", "ULLONG_MAX"}},
      {"stdlib.h", {"uint", "ushort", "ulong"}},
      {"string.h", {"std::size_t"}},
      {"stdint.h", {"int8_t", "int16_t", "int32_t", "int64_t"}}};
  return all;
}

/// True where a text uses the name and does not define it as a macro.
bool asks_for(std::string_view text, std::string_view name) {
  bool is_used = false;
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + name.size())) {
    const std::size_t end = at + name.size();
    if ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]))) continue;
    const std::string_view before =
        trimmed(text.substr(at > 16 ? at - 16 : 0, std::min<std::size_t>(at, 16)));
    if (before.ends_with("define")) return false;
    is_used = true;
  }
  return is_used;
}

void add_names_everywhere(const CompileRequest& request, const std::map<std::string, bool>& includes,
                          OtherHeaders& headers) {
  for (const auto& [header, names] : names_everywhere()) {
    if (includes.contains(header) || has(request.headers, header)) continue;
    const bool wanted = std::ranges::any_of(names, [&](std::string_view name) {
      return asks_for(request.source.text, name) ||
             std::ranges::any_of(request.headers,
                                 [&](const SourceFile& one) { return asks_for(one.text, name); });
    });
    if (!wanted) continue;
    headers.texts.push_back({header, std::string(known().at(header))});
    headers.first.emplace_back(header);
  }
}

}  // namespace

OtherHeaders other_headers(const CompileRequest& request, const std::string& library) {
  OtherHeaders headers;
  std::set<std::string> others, quoted;
  const std::map<std::string, bool> includes = included(request);
  add_names_everywhere(request, includes, headers);
  for (const auto& [name, in_brackets] : includes) {
    const auto found = known().find(name);
    if (found != known().end())
      headers.texts.push_back({name, std::string(found->second)});
    else
      (in_brackets ? others : quoted).insert(name);
  }
  if (others.empty() && quoted.empty()) return headers;
  for (const std::vector<fs::path>& folders : toolkits(library)) {
    bool is_used =
        std::ranges::any_of(quoted, [&](const std::string& name) { return contain(folders, name); });
    for (const std::string& name : others) {
      const bool is_there = contain(folders, name);
      const std::string replacement = is_there ? "" : of_libcuxx(folders, name);
      is_used = is_used || is_there || !replacement.empty();
      if (replacement.empty()) continue;
      headers.texts.push_back({name, "#pragma once\n#include <" + replacement +
                                         ">\nnamespace std { using namespace cuda::std; }\n"});
      headers.included.push_back(replacement);
    }
    if (!is_used) continue;
    // What the toolkit's headers include in turn.
    for (const auto& [name, text] : known())
      if (!has(request.headers, name) && !has(headers.texts, name) && !contain(folders, name))
        headers.texts.push_back({name, std::string(text)});
    for (const fs::path& folder : folders) headers.folders.push_back(folder.string());
    if (uses_files(request)) break;
    for (const std::string& name : quoted)
      if (!contain(folders, name))
        headers.texts.push_back({name, "#error cannot open source file \"" + name + "\"\n"});
    break;
  }
  return headers;
}

bool is_known_header(const std::string& name) {
  return known().contains(name);
}

std::optional<FileOptions> file_options(const std::vector<std::string>& options) {
  constexpr std::array<std::string_view, 2> folder_options = {"--include-path", "-I"};
  constexpr std::array<std::string_view, 2> include_options = {"--pre-include", "-include"};
  constexpr std::array<std::string_view, 7> others = {
      "-pch", "--pch", "--use-pch", "--create-pch", "--time", "-device-time", "--device-time"};
  FileOptions found;
  const auto starts = [](const std::string& option) {
    return [&option](std::string_view start) { return option.starts_with(start); };
  };
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if (std::ranges::any_of(others, starts(option))) return std::nullopt;
    for (const bool folder : {true, false}) {
      const auto& names = folder ? folder_options : include_options;
      const auto name = std::ranges::find_if(names, starts(option));
      if (name == names.end()) continue;
      std::string value = option.substr(name->size());
      if (value.starts_with('=')) value.erase(0, 1);
      if (value.empty() && ++i < options.size()) value = options[i];
      (folder ? found.folders : found.included).push_back(value);
      break;
    }
  }
  return found;
}

}  // namespace tune::cuda
