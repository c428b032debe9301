// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/cuda_compiler.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

#include "tuner/backends/cuda/toolkit/nvcc.hpp"
#include "tuner/backends/cuda/toolkit/readable_errors.hpp"
#include "tuner/backends/cuda/toolkit/toolkit_headers.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/device_code.hpp"
#include "tuner/plan/directives.hpp"
#include "tuner/plan/includes.hpp"

namespace tune::cuda {
namespace {

template<class Predicate>
bool any_text(const CompileRequest& request, const Predicate& holds) {
  return holds(request.source.text) ||
         std::ranges::any_of(request.headers, [&](const SourceFile& header) { return holds(header.text); });
}

bool is_own(const CompileRequest& request, const std::string& name) {
  return std::ranges::find(request.headers, name, &SourceFile::name) != request.headers.end();
}

bool has_host_function(std::string_view text) {
  if (text.find("<<<") != std::string_view::npos) return true;
  constexpr std::string_view name = "main";
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t behind = text.find_first_not_of(" \t\r\n", at + name.size());
    if (behind == std::string_view::npos) return false;
    if (text[behind] == '(' && (at == 0 || !is_word(text[at - 1]))) return true;
  }
  return false;
}

/// Returns the name of the header that NVRTC did not find; empty where it found all.
std::string missing_header(std::string_view log) {
  constexpr std::string_view mark = "open source file \"";
  const std::size_t begin = log.find(mark);
  if (begin == std::string_view::npos) return {};
  const std::string_view name = log.substr(begin + mark.size());
  return std::string(name.substr(0, name.find('"')));
}

/// True for headers outside this project's texts that have code of the device.
bool is_of_device_code(const std::string& name) {
  constexpr std::string_view folders[] = {"cooperative_groups/",
                                          "cuda/",
                                          "cub/",
                                          "thrust/",
                                          "nv/",
                                          "cute/",
                                          "cutlass/",
                                          "curanddx",
                                          "cublasdx",
                                          "cufftdx"};
  constexpr std::string_view files[] = {
      "cooperative_groups.h", "cuComplex.h",      "curand_kernel.h", "math_constants.h",
      "cuda_pipeline.h",      "cuda_awbarrier.h", "mma.h",           "cuda_pipeline_primitives.h"};
  // libcu++ has the other headers of the C++ standard library.
  constexpr std::string_view of_host[] = {"any",          "bitset",    "charconv",      "condition_variable",
                                          "deque",        "exception", "filesystem",    "format",
                                          "fstream",      "future",    "iomanip",       "ios",
                                          "iostream",     "istream",   "list",          "locale",
                                          "map",          "mutex",     "ostream",       "queue",
                                          "random",       "regex",     "set",           "shared_mutex",
                                          "sstream",      "stack",     "stdexcept",     "string",
                                          "system_error", "thread",    "typeindex",     "typeinfo",
                                          "valarray",     "vector",    "unordered_map", "unordered_set"};
  const bool is_of_library =
      name.find_first_of("./") == std::string::npos && std::ranges::find(of_host, name) == std::end(of_host);
  return is_of_library || std::ranges::find(files, name) != std::end(files) ||
         (name.starts_with("cuda_") &&
          (name.ends_with("fp16.h") || name.ends_with("bf16.h") || name.ends_with("fp8.h") ||
           name.ends_with("fp6.h") || name.ends_with("fp4.h") || name.ends_with("fp16.hpp"))) ||
         std::ranges::any_of(folders, [&](std::string_view folder) { return name.starts_with(folder); });
}

/// True where a line of the request other than an #include has the word.
bool mentions(const CompileRequest& request, const std::string& word) {
  const std::set<std::string, std::less<>> words = {word};
  return any_text(request, [&](std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = next_line(text);
      const auto directive = directive_of(line);
      if ((!directive || directive->name != "include") && has_word(line, words)) return true;
    }
    return false;
  });
}

std::string hash_of_texts(const CompileRequest& request) {
  CompileRequest texts;
  texts.source = request.source;
  texts.headers = request.headers;
  return content_hash(content_of(texts));
}

}  // namespace

bool may_hold_host_code(const CompileRequest& request) {
  return any_text(request, [&](const std::string& text) {
    const Includes includes = includes_of(text);
    return includes.computed || has_host_function(text) || has_extended_lambda(text) ||
           std::ranges::any_of(includes.files, [&](const Include& include) {
             return !is_own(request, include.name) && !is_known_header(include.name);
           });
  });
}

std::string option_of_nvcc(const CompileRequest& request) {
  constexpr std::string_view known[] = {"extended-lambda",
                                        "expt-extended-lambda",
                                        "expt-relaxed-constexpr",
                                        "Xcompiler",
                                        "compiler-options",
                                        "Xcudafe",
                                        "Xlinker",
                                        "ccbin",
                                        "compiler-bindir",
                                        "allow-unsupported-compiler",
                                        "forward-unknown-to-host-compiler",
                                        "O0",
                                        "O1",
                                        "O2",
                                        "O3",
                                        "optimize",
                                        "g",
                                        "debug",
                                        "x"};
  for (const std::string& option : request.options) {
    if (!option.starts_with('-')) continue;
    const std::string_view name = std::string_view(option).substr(option.find_first_not_of('-') == 2 ? 2 : 1);
    if (std::ranges::find(known, name.substr(0, name.find_first_of("= "))) != std::end(known)) return option;
  }
  return {};
}

std::string beyond_nvrtc(const CompileRequest& request, std::string_view log) {
  if (const std::string name = missing_header(log); !name.empty()) {
    const bool is_quoted = any_text(request, [&](const std::string& text) {
      return std::ranges::any_of(includes_of(text).files, [&](const Include& include) {
        return include.name == name && include.quoted;
      });
    });
    return is_quoted ? "" : format("NVRTC has no header <{}>", name);
  }
  if (log.find("requires --extended-lambda") != std::string_view::npos)
    return "NVRTC has no extended lambdas";
  return log.find("in JIT mode") != std::string_view::npos ? "NVRTC takes no host code" : "";
}

CompileRequest device_request(CompileRequest request) {
  leave_out_host_code(request);
  const CompileRequest& names = request;
  // NVRTC takes neither with its host code.
  const bool needs_thrust = mentions(request, "thrust"), needs_cub = mentions(request, "cub");
  const auto is_needed = [&](const std::string& name) {
    if (name.starts_with("thrust/")) return needs_thrust;
    if (name.starts_with("cub/")) return needs_cub;
    return is_known_header(name) || is_of_device_code(name);
  };
  const auto leave_out_headers = [&](std::string& text) {
    for (const Include& include : includes_of(text).files) {
      if (include.quoted || is_own(names, include.name) || is_needed(include.name)) continue;
      const std::string name = "<" + include.name + ">";
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const std::size_t begin = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
        const auto directive = directive_of(std::string_view(text).substr(begin, at + name.size() - begin));
        if (!directive || directive->name != "include") continue;
        // It brings the types of half precision.
        const std::string instead = include.name.starts_with("cublas") ? "#include <cuda_bf16.h>" : "";
        text.replace(begin, at + name.size() - begin, instead);
        at = begin + instead.size();
      }
    }
  };
  leave_out_headers(request.source.text);
  // nvcc includes it before every text.
  request.source.text =
      format("#include <cuda_runtime.h>\n#line 1 \"{}\"\n", request.source.name) + request.source.text;
  for (SourceFile& header : request.headers) leave_out_headers(header.text);
  return request;
}

CudaCompiler::CudaCompiler(std::unique_ptr<Compiler> nvrtc, MakeNvcc make_nvcc)
    : nvrtc_(std::move(nvrtc)), make_nvcc_(std::move(make_nvcc)) {}

const Compiler* CudaCompiler::nvcc() const {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(has_looked_, true)) nvcc_ = make_nvcc_(&no_nvcc_);
  return nvcc_.get();
}

std::optional<CudaCompiler::Choice> CudaCompiler::known_choice(const CompileRequest& request) const {
  const std::string hash = hash_of_texts(request);
  const std::scoped_lock lock(mutex_);
  const auto found = choices_.find(hash);
  return found == choices_.end() ? std::nullopt : std::optional(found->second);
}

void CudaCompiler::remember(const CompileRequest& request, Choice choice) const {
  const std::string hash = hash_of_texts(request);
  const std::scoped_lock lock(mutex_);
  choices_.insert_or_assign(hash, std::move(choice));
}

Result<Binary> CudaCompiler::without_host_code(const CompileRequest& request) const {
  Result<Binary> binary = nvrtc_->compile(device_request(request));
  if (binary) binary->chosen_because = "without the host code of the file";
  return binary;
}

Result<Binary> CudaCompiler::by_nvcc(const CompileRequest& request, std::string reason) const {
  Result<Binary> binary = nvcc()->compile(request);
  if (binary) binary->chosen_because = std::move(reason);
  return binary;
}

Result<Binary> CudaCompiler::compile(const CompileRequest& request) const {
  Result<Binary> binary = by_choice(request);
  if (!binary && binary.error().phase == Phase::compile)
    binary.error().detail = readable_errors(binary.error().detail, request);
  return binary;
}

Result<Binary> CudaCompiler::by_choice(const CompileRequest& request) const {
  if (request.compiler == CompilerName::nvcc) {
    if (nvcc() == nullptr) throw Error(no_nvcc_);
    return by_nvcc(request, "the definition names it");
  }
  if (request.compiler != CompilerName::nvrtc)
    if (const std::string option = option_of_nvcc(request); !option.empty() && nvcc() != nullptr)
      return by_nvcc(request, format("NVRTC has no option {}", option));
  if (request.compiler == CompilerName::nvrtc) return nvrtc_->compile(request);
  const auto known = known_choice(request);
  if (known && !known->by_nvrtc) return by_nvcc(request, known->reason);
  std::string reason = known ? known->reason : std::string();
  if (!known) {
    Result<Binary> binary = nvrtc_->compile(request);
    if (binary) return binary;
    reason = beyond_nvrtc(request, binary.error().detail);
    if (reason.empty()) return binary;
  }
  Result<Binary> binary = without_host_code(request);
  if (binary) {
    if (!known) remember(request, {true, reason});
    return binary;
  }
  if (!may_hold_host_code(request)) return binary;
  // What the device needs may have been left out; other errors are the kernel's own.
  const std::string& log = binary.error().detail;
  if (known && log.find("is undefined") == std::string::npos && beyond_nvrtc(request, log).empty())
    return binary;
  if (nvcc() == nullptr) return fail(Phase::compile, "no nvcc", format("{}, and {}", reason, no_nvcc_));
  Result<Binary> other = by_nvcc(request, reason);
  if (other) remember(request, {false, reason});
  return other;
}

void CudaCompiler::cancel() const {
  nvrtc_->cancel();
  const std::scoped_lock lock(mutex_);
  if (nvcc_) nvcc_->cancel();
}

std::optional<std::string> CudaCompiler::version_for(const CompileRequest& request) const {
  if (request.compiler == CompilerName::nvrtc) return nvrtc_->version();
  const auto known = known_choice(request);
  if (known && known->by_nvrtc) return nvrtc_->version();
  if (request.compiler == CompilerName::nvcc || known || !option_of_nvcc(request).empty())
    return nvcc() == nullptr ? nvrtc_->version() : nvcc()->version();
  if (may_hold_host_code(request)) return std::nullopt;
  return nvrtc_->version();
}

std::optional<std::string> CudaCompiler::files_key(const CompileRequest& request) const {
  const bool may_be_nvcc = request.compiler == CompilerName::nvcc ||
                           (request.compiler == CompilerName::automatic &&
                            (may_hold_host_code(request) || !option_of_nvcc(request).empty()));
  if (!may_be_nvcc || nvcc() == nullptr) return nvrtc_->files_key(request);
  const std::optional<std::string> files = nvcc()->files_key(request);
  if (!files) return std::nullopt;
  const std::string own = format("nvcc {} {}", nvcc()->identity(), *files);
  if (request.compiler == CompilerName::nvcc) return own;
  const std::optional<std::string> of_nvrtc = nvrtc_->files_key(request);
  return of_nvrtc ? std::optional(*of_nvrtc + " " + own) : std::nullopt;
}

std::unique_ptr<Compiler> with_nvcc(std::unique_ptr<Compiler> nvrtc, const std::string& architecture,
                                    double timeout) {
  return std::make_unique<CudaCompiler>(std::move(nvrtc), [architecture, timeout](std::string* reason) {
    return make_nvcc_compiler(architecture, reason, timeout);
  });
}

}  // namespace tune::cuda
