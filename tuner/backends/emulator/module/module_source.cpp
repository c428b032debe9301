// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/module_source.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "tuner/base/format.hpp"

namespace tune::emulator {

// Made at build time from prelude/.
std::span<const std::pair<std::string_view, std::string_view>> embedded_prelude();

namespace {

/// Headers of the toolkit, and the file of the prelude that has what kernels want of them; empty for what is
/// always there.
using Known = std::pair<std::string_view, std::string_view>;
constexpr Known known_headers[] = {
    {"assert.h", ""},
    {"cassert", ""},
    {"cmath", ""},
    {"cooperative_groups.h", "cooperative_groups.cuh"},
    {"cooperative_groups/memcpy_async.h", "cooperative_groups.cuh"},
    {"cooperative_groups/reduce.h", "cooperative_groups.cuh"},
    {"cstddef", ""},
    {"cstdint", ""},
    {"cstdio", ""},
    {"cstdlib", ""},
    {"cstring", ""},
    {"cuda.h", ""},
    {"cuda/pipeline", "cooperative_groups.cuh"},
    {"cuda/std/cstdint", ""},
    {"cuda_bf16.h", "half.cuh"},
    {"cuda_fp16.h", "half.cuh"},
    {"cuda_pipeline.h", ""},
    {"cuda_pipeline_primitives.h", ""},
    {"cuda_runtime.h", ""},
    {"cuda_runtime_api.h", ""},
    {"device_functions.h", ""},
    {"device_launch_parameters.h", ""},
    {"inttypes.h", ""},
    {"math.h", ""},
    {"stdbool.h", ""},
    {"stddef.h", ""},
    {"stdint.h", ""},
    {"stdio.h", ""},
    {"stdlib.h", ""},
    {"string.h", ""},
    {"vector_functions.h", ""},
    {"vector_types.h", ""},
};

/// Headers of the host that hold nothing but macros: they may stand anywhere.
bool is_macros(const std::string& name) {
  return name == "float.h" || name == "cfloat" || name == "limits.h" || name == "climits";
}

/// Replaces the text of sources line by line; lines are never added or removed.
class VariantText {
 public:
  VariantText(const CompileRequest& request, std::size_t number) : request_(request), number_(number) {}

  std::string text() {
    append(request_.source, 0);
    return std::move(text_);
  }
  const std::set<std::string>& defined() const { return defined_; }
  const std::set<std::string>& needed() const { return needed_; }

 private:
  void append(const SourceFile& file, int depth) {
    text_ += format("#line 1 \"{}\"\n", file.name);
    const bool once = file.text.find("#pragma once") != std::string::npos;
    // A guard of its own: the next variant includes the header again.
    const std::string guard = guard_of(file.name);
    if (once) text_ += format("#ifndef {0}\n#define {0}\n#line 1 \"{1}\"\n", guard, file.name);
    std::istringstream lines(file.text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) append_line(file, line, number, depth);
    if (once) text_ += "#endif\n";
  }

  void append_line(const SourceFile& file, const std::string& line, int number, int depth) {
    static const std::regex include(R"re(^\s*#\s*include\s*(["<])([^">]+)[">].*$)re");
    static const std::regex define(R"(^\s*#\s*define\s+(\w+).*$)");
    std::smatch match;
    if (line.find('#') == std::string::npos) {
      text_ += rewritten(line) + "\n";
    } else if (line.find("pragma once") != std::string::npos) {
      text_ += "\n";
    } else if (has(line, "include") && std::regex_match(line, match, include)) {
      if (const SourceFile* header = find(match[2]); header != nullptr && depth < 64) {
        append(*header, depth + 1);
        text_ += format("#line {} \"{}\"\n", number + 1, file.name);
      } else if (is_macros(match[2])) {
        text_ += line + "\n";
      } else if (const auto* const known =
                     std::ranges::find(known_headers, std::string_view(match[2].str()), &Known::first);
                 known != std::end(known_headers)) {
        if (!known->second.empty()) needed_.insert(std::string(known->second));
        text_ += "\n";
      } else {
        text_ += format("#error tune_cannot_emulate: the emulator has no header {}\n", match[2].str());
      }
    } else {
      if (has(line, "define") && std::regex_match(line, match, define)) defined_.insert(match[1]);
      text_ += rewritten(line) + "\n";
    }
  }

  /// Regular expressions are slow: most lines need none.
  static bool has(const std::string& line, const char* word) { return line.find(word) != std::string::npos; }

  static std::string rewritten(std::string line) {
    static const std::regex external("extern\\s+\"C\"");
    static const std::regex dynamic(
        R"(extern\s+__shared__\s+((?:__align__|alignas|__attribute__)\s*\(+[^)]*\)+\s*)?([^;=]*?[\w>])\s*(?:((?:__align__|alignas)\s*\([^)]*\))\s*)?\b(\w+)\s*\[\s*\]\s*;)");
    static const std::regex shared(R"(__shared__[^;]*;)");
    static const std::regex twice(R"(static\s+__shared__|__shared__\s+static)");
    if (line.find("extern") != std::string::npos) {
      // Every array of dynamic shared memory is the same memory.
      line = std::regex_replace(
          line, dynamic,
          "static $2* const $4 __attribute__((unused)) = reinterpret_cast<$2*>(tune_dynamic_shared);");
      line = std::regex_replace(line, external, "");
    }
    if (line.find("__shared__") != std::string::npos) {
      line = std::regex_replace(line, twice, "__shared__");
      line = std::regex_replace(line, shared, "$& TUNE_SHARED_GAP");
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

  const CompileRequest& request_;
  std::size_t number_;
  std::string text_;
  std::set<std::string> defined_;
  std::set<std::string> needed_;  ///< files of the prelude
};

std::string variant_text(const CompileRequest& request, std::size_t number) {
  VariantText variant(request, number);
  const std::string kernels = variant.text();
  std::string text;
  for (const std::string& file : variant.needed()) text += format("#include \"{}\"\n", file);
  for (const auto& [name, value] : request.defines) text += format("#define {} {}\n", name, value);
  // The inner namespace has no name, so that no two variants share a static variable of a template.
  text += format("namespace {} {{ namespace {{\n", variant_namespace(number));
  text += kernels;
  text += "\n#line 1 \"entries\"\n}\n";
  text += "static const ::tune_emulator::Entry tune_entries[] = {\n";
  for (const std::string& entry : request.entries) text += format("TUNE_ENTRY(\"{0}\", {0}),\n", entry);
  text += "};\n}\n";
  std::set<std::string> names = variant.defined();
  for (const auto& define : request.defines) names.insert(define.first);
  for (const std::string& name : names) text += format("#undef {}\n", name);
  return text;
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
      "}};\nextern \"C\" __attribute__((visibility(\"default\"))) const tune_emulator::ModuleTable "
      "tune_module = {{"
      "&tune_host, reinterpret_cast<tune_emulator::Indices*>(const_cast<tune_indices_t*>(&tune_indices)), "
      "tune_dynamic_shared, tune_variants, {}}};\n",
      variants.size());
  return text;
}

}  // namespace tune::emulator
