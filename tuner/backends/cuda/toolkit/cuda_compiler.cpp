// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/cuda_compiler.hpp"

#include <algorithm>
#include <utility>

#include "tuner/backends/cuda/toolkit/nvcc.hpp"
#include "tuner/backends/cuda/toolkit/toolkit_headers.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
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
    return includes.computed || has_host_function(text) ||
           std::ranges::any_of(includes.files, [&](const Include& include) {
             return !is_own(request, include.name) && !is_known_header(include.name);
           });
  });
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
  return log.find("in JIT mode") != std::string_view::npos ? "NVRTC takes no host code" : "";
}

CudaCompiler::CudaCompiler(std::unique_ptr<Compiler> nvrtc, MakeNvcc make_nvcc)
    : nvrtc_(std::move(nvrtc)), make_nvcc_(std::move(make_nvcc)) {}

const Compiler* CudaCompiler::nvcc() const {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(has_looked_, true)) nvcc_ = make_nvcc_(&no_nvcc_);
  return nvcc_.get();
}

std::optional<std::string> CudaCompiler::known_reason(const CompileRequest& request) const {
  const std::string hash = hash_of_texts(request);
  const std::scoped_lock lock(mutex_);
  const auto found = reasons_.find(hash);
  return found == reasons_.end() ? std::nullopt : std::optional(found->second);
}

Result<Binary> CudaCompiler::by_nvcc(const CompileRequest& request, std::string reason) const {
  Result<Binary> binary = nvcc()->compile(request);
  if (binary) binary->chosen_because = std::move(reason);
  return binary;
}

Result<Binary> CudaCompiler::compile(const CompileRequest& request) const {
  if (request.compiler == CompilerName::nvcc) {
    if (nvcc() == nullptr) throw Error(no_nvcc_);
    return by_nvcc(request, "the definition names it");
  }
  if (request.compiler == CompilerName::nvrtc || !may_hold_host_code(request))
    return nvrtc_->compile(request);
  if (const auto reason = known_reason(request)) return by_nvcc(request, *reason);
  Result<Binary> binary = nvrtc_->compile(request);
  if (binary) return binary;
  const std::string reason = beyond_nvrtc(request, binary.error().detail);
  if (reason.empty()) return binary;
  if (nvcc() == nullptr) return fail(Phase::compile, "no nvcc", format("{}, and {}", reason, no_nvcc_));
  {
    const std::string hash = hash_of_texts(request);
    const std::scoped_lock lock(mutex_);
    reasons_.emplace(hash, reason);
  }
  return by_nvcc(request, reason);
}

void CudaCompiler::cancel() const {
  nvrtc_->cancel();
  const std::scoped_lock lock(mutex_);
  if (nvcc_) nvcc_->cancel();
}

std::optional<std::string> CudaCompiler::version_for(const CompileRequest& request) const {
  if (request.compiler == CompilerName::nvrtc) return nvrtc_->version();
  if (request.compiler == CompilerName::nvcc || known_reason(request))
    return nvcc() == nullptr ? nvrtc_->version() : nvcc()->version();
  if (may_hold_host_code(request)) return std::nullopt;
  return nvrtc_->version();
}

std::optional<std::string> CudaCompiler::files_key(const CompileRequest& request) const {
  const bool may_be_nvcc = request.compiler == CompilerName::nvcc ||
                           (request.compiler == CompilerName::automatic && may_hold_host_code(request));
  if (!may_be_nvcc || nvcc() == nullptr) return nvrtc_->files_key(request);
  const std::optional<std::string> files = nvcc()->files_key(request);
  if (!files) return std::nullopt;
  const std::string own = format("nvcc {} {}", nvcc()->identity(), *files);
  if (request.compiler == CompilerName::nvcc) return own;
  const std::optional<std::string> of_nvrtc = nvrtc_->files_key(request);
  return of_nvrtc ? std::optional(*of_nvrtc + " " + own) : std::nullopt;
}

std::unique_ptr<Compiler> with_nvcc(std::unique_ptr<Compiler> nvrtc, const std::string& architecture) {
  return std::make_unique<CudaCompiler>(std::move(nvrtc), [architecture](std::string* reason) {
    return make_nvcc_compiler(architecture, reason);
  });
}

}  // namespace tune::cuda
