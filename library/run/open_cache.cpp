// SPDX-License-Identifier: Apache-2.0
#include "library/run/open_cache.hpp"

#include <cstdlib>

#include "library/run/paths.hpp"
#include "tuner/base/units.hpp"

namespace tune::run {

std::shared_ptr<cache::BinaryCache> open_cache(const std::string& folder) {
  const char* size = std::getenv("TUNE_CACHE_SIZE");
  const std::uint64_t limit = size == nullptr || *size == '\0' ? cache::BinaryCache::default_limit
                                                               : parse_size(size, "TUNE_CACHE_SIZE");
  return std::make_shared<cache::BinaryCache>(cache_folder(folder), limit);
}

}  // namespace tune::run
