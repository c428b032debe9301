// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/binary.hpp"
#include "tuner/cache/binary_cache.hpp"

namespace tune::cache {

/// Looks in the cache before it asks another compiler, and keeps that one's results. Equal requests at the
/// same time compile once. No lock is held during a compile.
///
/// Failures that the same request always has (a syntax error, a missing entry) are kept too; timeouts,
/// crashes, missing headers and other failures that may be the machine's are not. A request for which the
/// compiler does not know the files that it reads bypasses the cache.
class CachingCompiler : public Compiler {
 public:
  CachingCompiler(std::shared_ptr<const Compiler> inner, std::shared_ptr<BinaryCache> cache);

  /// As the inner compiler. A binary that was not compiled for this call is marked `cached`, with the seconds
  /// of this call as compile_seconds.
  Result<Binary> compile(const CompileRequest& request) const override;
  void cancel() const override { inner_->cancel(); }
  std::string version() const override { return inner_->version(); }
  std::optional<std::string> version_for(const CompileRequest& request) const override {
    return inner_->version_for(request);
  }
  std::string identity() const override { return inner_->identity(); }

  /// Returns 32 hexadecimal digits for the entry's format, the compiler's identity, the request and the files
  /// on disk that it includes (Compiler::files_key).
  std::string key_of(const CompileRequest& request, const std::string& files = {}) const;

 private:
  using Pending = std::shared_future<Result<Binary>>;
  Result<Binary> find_or_compile(const std::string& key, const CompileRequest& request,
                                 const std::string& files) const;

  std::shared_ptr<const Compiler> inner_;
  std::shared_ptr<BinaryCache> cache_;
  std::string identity_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Pending> running_;  ///< by key: being looked up or compiled
};

/// Puts the cache in front of a compiler; returns the compiler itself without a cache.
std::unique_ptr<Compiler> with_cache(std::unique_ptr<Compiler> compiler, std::shared_ptr<BinaryCache> cache);

/// A backend whose compiler uses the cache.
class CachedBackend : public Backend {
 public:
  CachedBackend(std::unique_ptr<Backend> backend, std::shared_ptr<BinaryCache> cache);

  const DeviceProperties& properties() const override { return backend_->properties(); }
  const Compiler& compiler() const override { return compiler_; }
  Runner& runner() override { return backend_->runner(); }
  MachineState machine_state() override { return backend_->machine_state(); }

 private:
  std::shared_ptr<Backend> backend_;
  CachingCompiler compiler_;
};

/// Puts the cache in front of a backend's compiler; returns the backend itself without a cache.
std::unique_ptr<Backend> with_cache(std::unique_ptr<Backend> backend, std::shared_ptr<BinaryCache> cache);

}  // namespace tune::cache
