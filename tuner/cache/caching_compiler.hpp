// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/binary.hpp"
#include "tuner/cache/binary_cache.hpp"

namespace tune::cache {

/// Asks the cache before another compiler, and keeps what that one gave. Requests that are equal and come at
/// the same time compile once. Nothing is locked while a compile is under way.
///
/// Failures that the same request must always give (a syntax error, a missing entry) are kept too; timeouts,
/// crashes and what may have been the machine's fault are not. A request whose options make the compiler read
/// files from disk goes past the cache: the key knows only what the request holds.
class CachingCompiler : public Compiler {
 public:
  CachingCompiler(std::shared_ptr<const Compiler> inner, std::shared_ptr<BinaryCache> cache);

  /// As the inner compiler; a binary that it did not make for this call is marked `cached`, and its
  /// compile_seconds are those that this call took.
  Result<Binary> compile(const CompileRequest& request) const override;
  std::string version() const override { return inner_->version(); }
  std::string identity() const override { return inner_->identity(); }

  /// 32 hexadecimal digits of the entry's format, the compiler's identity and the request.
  std::string key_of(const CompileRequest& request) const;

 private:
  using Pending = std::shared_future<Result<Binary>>;
  Result<Binary> find_or_compile(const std::string& key, const CompileRequest& request) const;

  std::shared_ptr<const Compiler> inner_;
  std::shared_ptr<BinaryCache> cache_;
  std::string identity_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Pending> running_;  ///< by key: looked up or compiled right now
};

/// The compiler with the cache in front; itself where there is none.
std::unique_ptr<Compiler> with_cache(std::unique_ptr<Compiler> compiler, std::shared_ptr<BinaryCache> cache);

/// A backend whose compiler asks the cache first.
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

/// The backend with the cache in front of its compiler; itself where there is none.
std::unique_ptr<Backend> with_cache(std::unique_ptr<Backend> backend, std::shared_ptr<BinaryCache> cache);

}  // namespace tune::cache
