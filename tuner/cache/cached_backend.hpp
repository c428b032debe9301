// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tuner/backends/backend.hpp"
#include "tuner/cache/caching_compiler.hpp"

namespace tune::cache {

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
