// SPDX-License-Identifier: Apache-2.0
#include "tuner/cache/caching_compiler.hpp"

#include <chrono>

#include "tuner/base/content_hash.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/base/format.hpp"
#include "tuner/cache/binary_cache.hpp"

namespace tune::cache {
namespace {

using Clock = std::chrono::steady_clock;

/// True where the source is wrong wherever it is compiled. All other failures may be a lack of memory, a full
/// disk or a killed compiler.
bool lasts(const Failure& failure) {
  return failure.phase == Phase::compile && recurrence_of(failure) == Recurrence::certain;
}

Result<Binary> from_elsewhere(Result<Binary> result, Clock::time_point start) {
  if (result) {
    result->cached = true;
    result->compile_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return result;
}

}  // namespace

CachingCompiler::CachingCompiler(std::shared_ptr<const Compiler> inner, std::shared_ptr<BinaryCache> cache)
    : inner_(std::move(inner)), cache_(std::move(cache)), identity_(inner_->identity()) {}

std::string CachingCompiler::key_of(const CompileRequest& request, const std::string& files) const {
  const std::string on_disk = files.empty() ? "" : "files " + files;
  return content_hash(
      format("{}:{}:{}{}{}", format_version, identity_.size(), identity_, content_of(request), on_disk));
}

Result<Binary> CachingCompiler::compile(const CompileRequest& request) const {
  const Clock::time_point start = Clock::now();
  const std::optional<std::string> files = inner_->files_key(request);
  if (!files) return inner_->compile(request);
  const std::string key = key_of(request, *files);
  std::promise<Result<Binary>> promise;
  Pending others;  // another thread's
  {
    const std::scoped_lock lock(mutex_);
    const auto [at, first] = running_.try_emplace(key);
    if (first)
      at->second = promise.get_future().share();
    else
      others = at->second;
  }
  if (others.valid()) return from_elsewhere(others.get(), start);
  const auto finish = [&] {
    const std::scoped_lock lock(mutex_);
    running_.erase(key);
  };
  try {
    Result<Binary> result = find_or_compile(key, request, *files);
    finish();
    promise.set_value(result);
    return result;
  } catch (...) {
    finish();
    promise.set_exception(std::current_exception());
    throw;
  }
}

Result<Binary> CachingCompiler::find_or_compile(const std::string& key, const CompileRequest& request,
                                                const std::string& files) const {
  const Clock::time_point start = Clock::now();
  if (auto found = cache_->find(key)) return from_elsewhere(std::move(*found), start);
  Result<Binary> result = inner_->compile(request);
  if (!result && !lasts(result.error())) return result;
  // A file may have changed while it was read.
  if (files.empty() || inner_->files_key(request) == files) cache_->keep(key, result);
  return result;
}

std::unique_ptr<Compiler> with_cache(std::unique_ptr<Compiler> compiler, std::shared_ptr<BinaryCache> cache) {
  if (compiler == nullptr || cache == nullptr) return compiler;
  return std::make_unique<CachingCompiler>(std::move(compiler), std::move(cache));
}

CachedBackend::CachedBackend(std::unique_ptr<Backend> backend, std::shared_ptr<BinaryCache> cache)
    : backend_(std::move(backend)),
      compiler_(std::shared_ptr<const Compiler>(backend_, &backend_->compiler()), std::move(cache)) {}

std::unique_ptr<Backend> with_cache(std::unique_ptr<Backend> backend, std::shared_ptr<BinaryCache> cache) {
  if (cache == nullptr) return backend;
  return std::make_unique<CachedBackend>(std::move(backend), std::move(cache));
}

}  // namespace tune::cache
