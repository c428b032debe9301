// SPDX-License-Identifier: Apache-2.0
#include "tuner/cache/cached_backend.hpp"

namespace tune::cache {

CachedBackend::CachedBackend(std::unique_ptr<Backend> backend, std::shared_ptr<BinaryCache> cache)
    : backend_(std::move(backend)),
      compiler_(std::shared_ptr<const Compiler>(backend_, &backend_->compiler()), std::move(cache)) {}

std::unique_ptr<Backend> with_cache(std::unique_ptr<Backend> backend, std::shared_ptr<BinaryCache> cache) {
  if (cache == nullptr) return backend;
  return std::make_unique<CachedBackend>(std::move(backend), std::move(cache));
}

}  // namespace tune::cache
